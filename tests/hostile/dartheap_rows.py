"""Rows D: dartheap."""

import struct

import dartheap_builder as build
from harness import MIB, colliding, packed, row

HUGE = 1 << 60
ROOT = [build.dart_class('Root')]


def one(data=b'\x00', name='Root', uri='', **more):
    """A root, and an object with `data` of a class with this name."""
    classes = ROOT + [build.dart_class(name, uri)]
    objects = [build.dart_object(1, references=[2]),
               build.dart_object(2, 16, data)]
    return build.dartheap(classes, objects, 1, **more)


def objects_of(*objects, classes=None, references=0, **more):
    """A file with these objects."""
    return build.dartheap(classes or ROOT, list(objects), references, **more)


@row('D1')
def empty(check):
    check.refuses('T', b'', at=0, args=['--from', 'dartheap'])
    check.refuses('T', b'', at=0)


@row('D2')
def cut_magic(check):
    for size in range(1, 8):
        check.refuses('T', build.MAGIC[:size], at=size,
                      args=['--from', 'dartheap'])


@row('D3')
def other_magic(check):
    data = b'dartheaP' + build.people()[8:]
    check.refuses('M', data, at=0, says='not a dartheap',
                  args=['--from', 'dartheap'])
    check.refuses('M', data)


@row('D4')
def every_prefix(check):
    places = {}
    objects = [build.dart_object(1, references=[2, 3]),
               build.dart_object(2, 16, build.latin1('Ada'), [3]),
               build.dart_object(2, 24, b'\x04' + struct.pack('<d', 0.5))]
    data = build.dartheap(ROOT + [build.dart_class('A', 'dart:core', ['b'])],
                          objects, 3, externals=[(2, 4096, 'photo')],
                          places=places)
    for size in {*check.some(range(len(data))), places['hashes']}:
        if size == places['hashes']:  # files of VMs from 2019 end here
            check.accepts(data[:size], args=['--from', 'dartheap'])
        else:
            check.refuses('T', data[:size], at=size,
                          args=['--from', 'dartheap'])


@row('D5')
def magic_twice(check):
    check.refuses('MT', build.MAGIC + build.people())


@row('D6')
def class_count_huge(check):
    places = {}
    data = one(class_count=HUGE, places=places) + bytes(900)
    check.refuses('M', data, at=places['class_count'], says='classCount')


@row('D7')
def class_count_most(check):
    places = {}
    data = one(class_count=2**64 - 1, places=places)
    check.refuses('M', data, at=places['class_count'], says='classCount')


@row('D8')
def class_count_too_large(check):
    places = {}
    for claimed, letter in ((2**32, 'M'), (2**32 - 1, 'T')):
        data = one(class_count=claimed, places=places)
        at = places['class_count'] if letter == 'M' else len(data)
        check.refuses(letter, data, at=at, says='classCount')
    data = one(class_count=0, places=places)
    fits = (len(data) - places['classes']) // 6
    data = one(class_count=fits + 1)
    check.refuses('T', data, at=len(data), says='classCount')


@row('D9')
def no_classes(check):
    places = {}
    data = build.dartheap([], [build.dart_object(1)], 0, places=places)
    check.warns(data, at=places['objects'], says='class id 1')


@row('D10')
def field_count_too_large(check):
    for claimed, letter in ((HUGE, 'M'), (2**32, 'M'), (2**32 - 1, 'T'),
                            (40, 'T')):
        classes = [build.dart_class('Root', field_count=claimed)]
        check.refuses(letter, objects_of(build.dart_object(1),
                                         classes=classes),
                      says='class 1: fieldCount')


@row('D11')
def field_index_huge(check):
    for slot in (1 << 63, 2**64 - 1, 2**32, 1000):
        classes = [build.dart_class('Root', '', ['a', 'b'], slots=[slot, 0])]
        check.accepts(objects_of(build.dart_object(1, references=[1]),
                                 classes=classes, references=1))


@row('D12')
def object_count_huge(check):
    for claimed in (HUGE, 2**64 - 1, 2**32):
        places = {}
        data = one(object_count=claimed, places=places)
        check.refuses('M', data, at=places['object_count'], says='objectCount')


@row('D13')
def no_objects(check):
    check.warns(objects_of(), says='no object')


@row('D14')
def object_count_one_more(check):
    data = one(object_count=3)
    check.refuses('MT', data)
    data = one(object_count=300)
    check.refuses('T', data, at=len(data), says='objectCount')


@row('D15')
def object_count_one_less(check):
    # The last object is read as external properties.
    check.warns(one(object_count=1, hashes=b'\0\0'))
    check.refuses('MT', build.dartheap(
        build.CLASSES, [build.dart_object(1, references=[2])] * 4, 4,
        object_count=3, hashes=b'\xff' * 9))


@row('D16')
def references_more_than_said(check):
    check.warns(objects_of(build.dart_object(1, references=[1])),
                says='referenceCount is 0')


@row('D17')
def references_less_than_said(check):
    check.warns(objects_of(build.dart_object(1, references=[1]),
                           references=HUGE), says='referenceCount')


@row('D18')
def references_of_object_huge(check):
    places = {}
    data = objects_of(build.dart_object(1, reference_count=HUGE),
                      places=places)
    check.refuses('M', data, at=places['objects'],
                  says='object 1: referenceCount')
    data = objects_of(build.dart_object(1, reference_count=2**32 - 1))
    check.refuses('T', data, at=len(data))


@row('D19')
def dangling_references(check):
    for target in (2, 2**32, 2**63, 2**64 - 1):
        check.warns(objects_of(build.dart_object(1, references=[target]),
                               references=1), says=str(target))


@row('D20')
def references_left_out(check):
    check.accepts(objects_of(build.dart_object(1, references=[0] * 9),
                             references=9))


@row('D21')
def number_of_65_bits(check):
    # The flags: ten bytes, the last of which has two bits too many.
    data = build.MAGIC + b'\x80' * 9 + b'\x02' + one()[9:]
    check.refuses('M', data, at=8, says='a number is longer than 64 bits')


@row('D22')
def number_of_11_bytes(check):
    data = build.MAGIC + b'\x80' * 10 + b'\x00' + one()[9:]
    check.refuses('M', data, at=8, says='a number is longer than 64 bits')


@row('D23')
def number_too_long(check):
    check.warns(build.MAGIC + b'\x80\x00' + one()[9:], at=8,
                says='longer than they need to be')


@row('D24')
def number_cut(check):
    check.refuses('T', build.MAGIC + b'\x80', at=9, says='flags')


@row('D25')
def integers(check):
    ends = [build.sleb(-(1 << 63)), build.sleb((1 << 63) - 1), build.sleb(-1)]
    for number in ends:
        check.accepts(one(b'\x03' + number, '_Mint', 'dart:core'))
    # The VM writes the word of a Smi without a sign.
    for number in (2**64 - 1, 2**63, 2**62 - 1, 0):
        check.accepts(one(b'\x03' + build.uleb(number), '_Smi', 'dart:core'))


@row('D26')
def integer_of_any_class(check):
    for number in (build.sleb(-1), build.uleb(2**64 - 1), b'\x05'):
        check.accepts(one(b'\x03' + number, 'Foo', 'package:a/b.dart'))


@row('D27')
def unknown_tags(check):
    for tag in (9, 2**32, 2**64 - 1):
        places = {}
        data = objects_of(build.dart_object(1, 0, build.uleb(tag)),
                          places=places)
        check.refuses('M', data, at=places['objects'],
                      says=['object 1', f'unknown data tag {tag}'])


@row('D28')
def odd_bools(check):
    for value in (2, 2**64 - 1):
        check.accepts(one(b'\x02' + build.uleb(value), 'bool', 'dart:core'))


@row('D29')
def odd_doubles(check):
    for bits in (0x7FF0000000000001, 1 << 63, 1, 0xFFF8000000000123):
        check.accepts(one(b'\x04' + struct.pack('<Q', bits), '_Double',
                          'dart:core'))


@row('D30')
def double_cut(check):
    places = {}
    data = objects_of(build.dart_object(1, 0, b'\x04'), places=places)
    data = data[:places['objects'] + 3] + b'\0' * 7
    check.refuses('T', data, at=len(data), says='object 1')


@row('D31')
def text_longer_than_itself(check):
    check.warns(one(build.latin1('Ada', length=2)), says='truncatedLength')


@row('D32')
def latin1_huge(check):
    for units in (HUGE, 2**32, 2**64 - 1):
        check.refuses('M', one(b'\x05' + build.uleb(units) * 2),
                      says='object 2')


@row('D33')
def utf16_overflows(check):
    for units in (1 << 63, (1 << 63) + 1, 2**64 - 1):
        check.refuses('M', one(b'\x06' + build.uleb(units) * 2),
                      says='object 2')


@row('D34')
def utf16_cut_in_a_unit(check):
    places = {}
    data = objects_of(build.dart_object(1, 0, b'\x06\x02\x02abc'),
                      places=places)
    data = data[:places['objects'] + 8]
    check.refuses('T', data, at=len(data), says='object 1')


@row('D35')
def utf16_surrogates(check):
    for units in ([0xD800], [0xDC00, 0xD800], [0x41, 0xD83D],
                  [0xD83D, 0xDE00]):
        raw = b''.join(struct.pack('<H', unit) for unit in units)
        check.accepts(one(b'\x06' + build.uleb(9) + build.uleb(len(units)) +
                          raw, '_TwoByteString', 'dart:core'))


@row('D36')
def names_that_are_no_utf8(check):
    for name in (b'\xC3\x28', b'\xC0\x80', b'\xED\xA0\x80',
                 b'\xF5\x80\x80\x80', b'\xFF'):
        check.accepts(one(name=name))
        # What JSON cannot express is counted.
        run = check.run('convert', 'in.dartheap', '-f', '-o',
                        'o.heapsnapshot')
        (check.dir / 'o.heapsnapshot').read_bytes().decode()
        check.require(b'string.' in run.err, f'not counted: {run}')


@row('D37')
def names_that_hurt_terminals(check):
    for name in ('a\0b', 'a\nb', '\x1b[31mred', '\u202eevil', '\u2028',
                 '\x9b31m'):
        check.accepts(one(name=name))
        page = check.run('info', 'in.dartheap')
        check.require(name.encode() not in page.out, f'not escaped: {page}')


@row('D38')
def name_longer_than_the_file(check):
    for size, letter in ((HUGE, 'M'), (2**32, 'M'), (2**32 - 1, 'T')):
        data = (build.MAGIC + b'\0' + build.uleb(size) + one()[14:])
        at = 9 if letter == 'M' else len(data)
        check.refuses(letter, data, at=at, says='name')
    data = build.MAGIC + b'\0\x05main'
    check.refuses('T', data, at=len(data), says='name')


@row('D39')
def externals_of_nothing(check):
    for holder in (0, 3, 2**64 - 1):
        check.warns(one(externals=[(holder, 8, 'x')]),
                    says=f'to object {holder}')


@row('D40')
def external_count_huge(check):
    places = {}
    data = one(external_count=HUGE, places=places)
    check.refuses('M', data, at=places['external_count'],
                  says='externalPropertyCount')


@row('D41')
def external_sizes_overflow(check):
    check.warns(one(externals=[(1, 2**64 - 1, 'a'), (2, 2**64 - 1, 'b')]),
                says='add up to more than 2^64')
    run = check.run('info', 'in.dartheap', '--json')
    check.require(b'"external_size_total": 18446744073709551615' in run.out,
                  f'no saturated sum: {run.out}')


@row('D42')
def hash_missing(check):
    data = one(hashes=b'\0')
    check.refuses('T', data, at=len(data), says='identity hash')


@row('D43')
def hash_of_33_bits(check):
    check.accepts(one(hashes=build.uleb(2**32) + build.uleb(2**64 - 1)))


@row('D44')
def hashes_of_4_bytes(check):
    # As in the document, but in no VM: the rest is trailing.
    check.warns(one(hashes=struct.pack('<II', 0x11111111, 0x22222222)),
                says='follow the end')
    check.refuses('MT', one(hashes=b'\xff' * 8))


@row('D45')
def trailing_bytes(check):
    places = {}
    data = one(places=places)
    check.warns(data + b'x', says='1 bytes follow', at=len(data))
    check.warns([data, *([b'x' * MIB] * 10)], says='10485760 bytes follow')
    check.accepts(data + bytes(100))  # DevTools pads


@row('D46')
def two_snapshots(check):
    check.warns(build.people() * 2, says='another snapshot')


@row('D47')
def gzip_of_it(check):
    check.accepts(packed([one()]), back=False)
    bomb = packed([one(), *[bytes(MIB)] * 8])
    check.refuses('L', bomb, says='gzip', size=9 * MIB)
    check.accepts(bomb, args=['--max-ratio', '100000'], back=False,
                  size=9 * MIB)


@row('D48')
def service_event(check):
    event = (b'{"jsonrpc":"2.0","method":"streamNotify","params":{"streamId":'
             b'"HeapSnapshot","event":{"type":"Event","kind":"HeapSnapshot",'
             b'"last":false}}}')
    framed = struct.pack('<I', len(event)) + event + one()
    check.refuses('M', framed, says='event of the VM service',
                  args=['--from', 'dartheap'])
    check.refuses('M', event + one())


@row('D49')
def many_classes(check):
    # Classes of 6 bytes each: the reader and the writer keep more than that for
    # a class.
    count, kept = check.rounds(300_000), 40
    head = build.MAGIC + b'\0\0\0\0\0' + build.uleb(count)
    tail = b'\x01\x01\x01\0\0\x01\x01\0\0'
    check.accepts([head, *[bytes(6 * 10_000)] * (count // 10_000), tail],
                  size=(6 + kept) * count)


@row('D50')
def many_references(check):
    count = 3_000_000
    head = build.MAGIC + b'\0\0\0\0\0\0' + build.uleb(count)
    head += b'\x01\0\0\0' + build.uleb(count)
    check.accepts([head, *[b'\x01' * MIB] * (count // MIB),
                   b'\x01' * (count % MIB), b'\0\0'])


@row('D51')
def sets_that_share_a_list_of_nothing(check):
    # A slot that refers to the list itself is deleted, and not an item.
    slots, sets = 1_000_000, 100_000
    classes = [build.dart_class('Root'),
               build.dart_class('_List', 'dart:core'),
               build.dart_class('_Set', 'dart:collection', ['data_'])]
    length = b'\x07' + build.uleb(slots)
    objects = [
        build.dart_object(1, references=[2]),
        build.dart_object(2, data=length, reference_count=slots) +
        b'\x02' * slots,
        build.dart_object(3, data=length, references=[2]) * sets]
    head = build.dartheap(classes, objects, slots + sets + 1,
                          object_count=sets + 2, hashes=bytes(sets + 2))
    check.accepts(head)


@row('D52')
def classes_of_one_hash(check):
    classes = ROOT + [build.dart_class(name, 'a')
                      for name in colliding(check.rounds(80_000))]
    name, _ = check.write(build.dartheap(classes, [build.dart_object(1)], 0))
    for source, target in ((name, 'o.heapsnapshot'), (name, 'o.ndjson'),
                           ('o.ndjson', 'o.heapir')):
        run = check.run('convert', source, '-q', '-o', target,
                        limits=check.seconds(10))
        check.require(run.code == 0, f'not done in time: {run}')
    check.letters.add('A')
