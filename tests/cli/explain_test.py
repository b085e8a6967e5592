#!/usr/bin/env python3
"""Black-box tests of `heapglot explain`: explain_test.py PATH_OF_HEAPGLOT
REPOSITORY [unittest args].

With HEAPGLOT_ACCEPT=1, rewrites the tables in README.md and docs/fidelity.md;
review reads the difference."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BINARY = ''
REPOSITORY = pathlib.Path()
OK, USAGE = 0, 2
CLASSES = ['exact', 'equivalent', 'embedded', 'approximated', 'dropped']


def run(*args, exit_code=OK, columns=80, **environment):
    env = {'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8',
           'COLUMNS': str(columns), **environment}
    for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS'):
        if name in os.environ:
            env[name] = os.environ[name]
    done = subprocess.run([BINARY, *args], capture_output=True, env=env,
                          timeout=60)
    assert done.returncode == exit_code, (args, done)
    return done


def text(*args, **more):
    return run('explain', *args, **more).stdout.decode()


def formats():
    return json.loads(run('formats', '--json').stdout)['formats']


def pairs():
    return [(source['name'], target['name']) for source in formats()
            if source['reads'] for target in formats() if target['writes']]


def explain(source, target):
    return json.loads(text('--from', source, '--to', target, '--json'))


class Pair(unittest.TestCase):

    def test_json_has_stable_keys(self):
        for source, target in pairs():
            with self.subTest(source=source, target=target):
                pair = explain(source, target)
                self.assertEqual(list(pair), ['from', 'to', 'native', 'leftovers',
                                              'unreachable', 'features',
                                              'synthesized', 'worst'])
                self.assertEqual(pair['native'], source == target)
                worst = 0
                for feature in pair['features']:
                    self.assertEqual(list(feature), ['feature', 'title',
                                                     'class', 'worst',
                                                     'cases'])
                    rule, *others = feature['cases']
                    self.assertEqual(rule['code'],
                                     target + '.' + feature['feature'])
                    self.assertEqual(rule['class'], feature['class'])
                    here = max(CLASSES.index(case['class'])
                               for case in [rule, *others])
                    self.assertEqual(CLASSES[here], feature['worst'])
                    worst = max(worst, here)
                self.assertEqual(pair['worst'], CLASSES[worst])

    def test_what_becomes_of_the_unreachable(self):
        def codes(*args):
            pair = json.loads(text('--from', 'dartheap', *args, '--json'))
            return pair['unreachable'], {
                case['code'] for feature in pair['features']
                for case in feature['cases']} | {
                made['code'] for made in pair['synthesized']}
        to = ('--to', 'heapsnapshot')
        usual, dropped = codes(*to), codes(*to, '--unreachable', 'drop')
        self.assertEqual(usual, codes(*to, '--unreachable', 'root'))
        self.assertEqual((usual[0], dropped[0]), ('root', 'drop'))
        self.assertEqual(
            {'unreachable.node', 'unreachable.edge', 'unreachable.extra',
             'unreachable.extra_table', 'unreachable.reference'},
            {code for code in dropped[1] - usual[1]
             if code.startswith('unreachable.')})
        self.assertEqual(usual[1] - dropped[1], {'unreachable.root'})
        self.assertEqual(codes('--to', 'netcf')[0], 'keep')
        self.assertIn('dartheap to heapsnapshot, --unreachable drop\n',
                      text('--from', 'dartheap', *to, '--unreachable', 'drop'))
        home = ('--from', 'dartheap', '--to', 'dartheap')
        self.assertIn('stays as it is', text(*home))
        self.assertNotIn('stays as it is',
                         text(*home, '--unreachable', 'drop'))
        run('explain', '--unreachable', 'drop', exit_code=USAGE)
        run('explain', '--from', 'dartheap', *to, '--unreachable', 'x',
            exit_code=USAGE)

    def test_a_return_is_exact(self):
        for source, target in pairs():
            if source != target:
                continue
            with self.subTest(format=source):
                pair = explain(source, target)
                self.assertEqual(pair['worst'], 'exact')
                self.assertEqual(pair['synthesized'], [])
                page = text('--from', source, '--to', target)
                self.assertIn('returns to its own format', page)
                self.assertNotIn('dropped', page)

    def test_a_dump_out_of_an_archive_goes_as_heapir(self):
        corpus = REPOSITORY / 'corpus'
        sources = {'ndjson': corpus / 'ndjson/good/dart-array.ndjson',
                   'sqlite': corpus / 'sqlite/good/draft-only.sqlite.gz'}
        for form, source in sources.items():
            page = text('--from', form, '--to', form, columns=200)
            self.assertIn('out of an archive', page)
            with self.subTest(format=form), \
                    tempfile.TemporaryDirectory() as name:
                work = pathlib.Path(name)
                run('normalize', '-q', str(source), '-o', name + '/archive')
                dump, = work.glob('archive/dumps/*/*.heapir')
                run('convert', '-q', '--embed', 'none', str(dump), '-o',
                    f'{name}/out.{form}', '--report', name + '/report')
                said = {case['code']: case['class']
                        for feature in explain('heapir', form)['features']
                        for case in feature['cases']}
                report = json.loads((work / 'report').read_text())['loss']
                self.assertEqual({item['code']: item['class'] for item in report},
                                 {item['code']: said.get(item['code'])
                                  for item in report})
                self.assertIn('embedded', [item['class'] for item in report])
        self.assertNotIn('archive', text('--from', 'netcf', '--to', 'netcf'))

    def test_leftovers(self):
        places = {'heapsnapshot': 'embedded', 'ndjson': 'embedded',
                  'netcf': 'sidecar', 'heapir': 'none', 'dartheap': 'none'}
        for target, place in places.items():
            with self.subTest(to=target):
                pair = explain('dartheap', target)
                self.assertEqual(pair['leftovers'], place)
                page = text('--from', 'dartheap', '--to', target)
                self.assertEqual('is embedded' in page, place == 'embedded')
                self.assertEqual('--sidecar' in page, place == 'sidecar')

    def test_what_the_source_never_has_is_left_out(self):
        features = [f['feature'] for f in explain('netcf', 'ndjson')['features']]
        self.assertIn('node.id', features)
        self.assertNotIn('value.double', features)

    def test_several_graphs_are_merged_only_where_they_must(self):
        merged = json.dumps(explain('netcf', 'heapsnapshot'))
        self.assertIn('merge_graphs.node.id', merged)
        self.assertNotIn('merge_graphs', json.dumps(explain('netcf', 'ndjson')))
        self.assertNotIn('merge_graphs',
                         json.dumps(explain('dartheap', 'heapsnapshot')))

    def test_the_worst_class_comes_first(self):
        lines = text('--from', 'dartheap', '--to', 'heapsnapshot').splitlines()
        headings = [line for line in lines if line in CLASSES]
        self.assertEqual(headings, ['dropped', 'approximated', 'equivalent',
                                    'exact'])
        self.assertLess(lines.index('exact'), lines.index(
            'synthesized, if the source has none'))

    def test_fits_the_terminal(self):
        for source, target in pairs():
            for columns in (60, 80, 140):
                page = text('--from', source, '--to', target, columns=columns)
                for line in page.splitlines():
                    self.assertLessEqual(len(line), columns, line)
                    self.assertEqual(line, line.rstrip())

    def test_every_case_is_on_the_page(self):
        page = text('--from', 'dartheap', '--to', 'netcf')
        codes = [case['code'] for feature in explain('dartheap', 'netcf')['features']
                 for case in feature['cases']]
        for code in codes:
            self.assertIn('\n  ' + code.removeprefix('netcf.') + ' ', page)

    def test_colour_only_if_asked_for(self):
        pair = ('--from', 'dartheap', '--to', 'heapsnapshot')
        plain = text(*pair)
        self.assertNotIn('\033', plain)
        coloured = text(*pair, '--color', 'always')
        self.assertIn('\033[31mdropped\033[0m', coloured)
        self.assertEqual(re.sub('\033\\[[0-9]*m', '', coloured), plain)


class Matrix(unittest.TestCase):

    def test_page_fits(self):
        for columns in (80, 100, 140):
            for line in text(columns=columns).splitlines():
                self.assertLessEqual(len(line), columns, line)

    def test_json_has_all_targets(self):
        matrix = json.loads(text('--json'))
        self.assertEqual([target['to'] for target in matrix['targets']],
                         [f['name'] for f in formats() if f['writes']])
        keys = [[f['feature'] for f in target['features']]
                for target in matrix['targets']]
        self.assertTrue(all(other == keys[0] for other in keys))

    def test_readme_has_it(self):
        self.check(REPOSITORY / 'README.md', text('--matrix'),
                   '<!-- heapglot explain --matrix -->\n', '<!-- end -->\n')

    def test_docs_have_the_tables(self):
        self.check(REPOSITORY / 'docs' / 'fidelity.md', text('--tables'))

    def check(self, path, made, begin='', end=''):
        """Expects the text in `path` between two marks to be `made`."""
        old = path.read_text() if path.exists() else ''
        pattern = re.escape(begin) + '(.*?)' + (re.escape(end) or r'\Z')
        found = re.search(pattern, old, re.DOTALL)
        self.assertIsNotNone(found, f'{path} has no place for the table')
        if os.environ.get('HEAPGLOT_ACCEPT'):
            path.write_text(old[:found.start(1)] + made + old[found.end(1):])
            return
        self.assertEqual(found[1], made, f'{path}: HEAPGLOT_ACCEPT=1 makes it '
                         'anew')


class Usage(unittest.TestCase):

    def test_unknown_formats(self):
        for flag, word, guess in (('--from', 'darthep', 'dartheap'),
                                  ('--to', 'heapsnapsot', 'heapsnapshot')):
            done = run('explain', flag, word, exit_code=USAGE)
            self.assertIn(f"did you mean '{guess}'?", done.stderr.decode())

    def test_half_a_pair(self):
        for flag in ('--from', '--to'):
            done = run('explain', flag, 'netcf', exit_code=USAGE)
            self.assertIn('needs', done.stderr.decode())

    def test_one_form_at_a_time(self):
        run('explain', '--matrix', '--tables', exit_code=USAGE)
        run('explain', '--matrix', '--json', exit_code=USAGE)
        run('explain', '--matrix', '--from', 'netcf', '--to', 'ndjson',
            exit_code=USAGE)

    def test_help(self):
        self.assertIn('Examples:', text('--help'))


if __name__ == '__main__':
    BINARY = sys.argv[1]
    REPOSITORY = pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
