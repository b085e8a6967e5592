"""Builds small extensible heap dumps. Layout: docs/ndjson.md."""

import json
import zlib

VERSION = '{"type":"metadata","key":"version_major","value":"1"}'
NODE = ('{"type":"type","code":2,"name":"node","fields":'
        '[["identifier","id"],["subtype","u32"]]}')
EDGE = ('{"type":"type","code":3,"name":"edge","fields":[["subtype","u32"],'
        '["source","value"],["dest","value"],["label","stringid"]]}')
STRING = ('{"type":"type","code":4,"name":"string","fields":'
          '[["id","stringid"],["data","utf8"]]}')
FIELDS = {'array': [('length', 'i32')],
          'object': [('constructor', 'value')],
          'flat string': [('length', 'value'), ('data', 'stringid')],
          'concatenated string': [('length', 'value'), ('s1', 'value'),
                                  ('s2', 'value')],
          'sliced string': [('length', 'value'), ('source', 'value'),
                            ('offset', 'value')],
          'closure': [('metadata', 'value')],
          'date': [('timestamp', 'f64')],
          'heap number': [('value', 'f64')],
          'oddball': [('name', 'stringid')]}
SUBTYPES = [json.dumps({'type': 'subtype', 'of': 'node', 'code': code,
                        'name': name, 'fields': fields},
                       separators=(',', ':'))
            for code, (name, fields) in enumerate(FIELDS.items(), 1)]
EDGES = ['{"type":"subtype","of":"edge","code":1,"name":"object property",'
         '"fields":[]}',
         '{"type":"subtype","of":"edge","code":2,"name":"array element",'
         '"fields":[]}']
SCHEMA = [VERSION, NODE, EDGE, STRING, *SUBTYPES, *EDGES]
ARRAY, OBJECT, FLAT, CONS, SLICED, CLOSURE, DATE, NUMBER, ODDBALL = \
    range(1, 10)


def trailer(body, **changes):
    """The trailer of a file with these lines before it."""
    counts = {}
    for line in body.splitlines():
        record = json.loads(line)
        kind = {2: 'node', 3: 'edge', 4: 'string'}.get(record[0]) if \
            isinstance(record, list) else record['type']
        if kind not in ('metadata', 'type', 'subtype', None):
            counts[kind] = counts.get(kind, 0) + 1
    fields = {'type': 'hg.trailer', 'records': body.count(b'\n'),
              'counts': counts, 'bytes': len(body),
              'crc32': f'{zlib.crc32(body):08x}'}
    fields.update(changes)
    return json.dumps(fields, separators=(',', ':')).encode() + b'\n'


def dump(*records, schema=None, end=None):
    """A file of lines, each given as text, bytes, or a value for JSON. Ends
    with a trailer, or with the bytes `end` instead."""
    lines = []
    for record in [*(SCHEMA if schema is None else schema), *records]:
        if not isinstance(record, (str, bytes)):
            record = json.dumps(record, separators=(',', ':'))
        lines.append(record.encode() if isinstance(record, str) else record)
    body = b''.join(line + b'\n' for line in lines)
    return body + (trailer(body) if end is None else end)
