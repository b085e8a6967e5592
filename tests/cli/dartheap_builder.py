"""Builds small dartheap files for tests. Layout: readers/dartheap/README.md."""

MAGIC = b'dartheap'


def uleb(number):
    out = bytearray()
    while True:
        number, low = number >> 7, number & 0x7F
        out.append(low | (0x80 if number else 0))
        if not number:
            return bytes(out)


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return uleb(len(data)) + data


def latin1(value):
    """The data of a string object."""
    return b'\x05' + uleb(len(value)) + text(value.encode('latin-1'))


def dart_class(name, uri='', fields=()):
    library = uri.replace(':', '.')
    out = uleb(0) + text(name) + text(library) + text(uri) + text('')
    out += uleb(len(fields))
    for slot, field in enumerate(fields):
        out += uleb(1) + uleb(slot) + text(field) + text('')
    return out


def dart_object(class_id, size=0, data=b'\x00', references=()):
    out = uleb(class_id) + uleb(size) + data + uleb(len(references))
    return out + b''.join(uleb(reference) for reference in references)


def dartheap(classes, objects, references, sizes=0, name='main', externals=(),
             capacity=0):
    out = MAGIC + uleb(0) + text(name) + uleb(sizes) + uleb(capacity)
    out += uleb(sum(size for _, size, _ in externals))
    out += uleb(len(classes)) + b''.join(classes)
    out += uleb(references) + uleb(len(objects)) + b''.join(objects)
    out += uleb(len(externals))
    for holder, size, label in externals:
        out += uleb(holder) + uleb(size) + text(label)
    return out + b'\x00' * len(objects)  # no identity hashes


CLASSES = [
    dart_class('Root'),
    dart_class('Person', 'package:app/person.dart', ['name', 'boss']),
    dart_class('Person', 'package:other/person.dart', ['name']),
    dart_class('_OneByteString', 'dart:core'),
]


def people():
    """Three people, two of them of the same class, and their names."""
    objects = [
        dart_object(1, references=[2, 3, 4]),
        dart_object(2, 16, references=[5, 3]),
        dart_object(2, 16, references=[6, 0]),
        dart_object(3, 2048, references=[5]),
        dart_object(4, 24, latin1('Ada')),
        dart_object(4, 24, latin1('Grace')),
    ]
    return dartheap(CLASSES, objects, references=8, sizes=2128,
                    externals=[(2, 4096, 'photo')], capacity=8192)


def many(count):
    """`count` objects of one class, about 8 bytes each."""
    one = dart_object(2, 16, references=[1, 1])
    objects = [dart_object(1, references=[2])] + [one] * count
    return dartheap(CLASSES, objects, references=1 + 2 * count,
                    sizes=16 * count)


def dangling():
    """A reference to an object that is not there: read with a warning."""
    return dartheap([dart_class('Root')], [dart_object(1, references=[7, 9])],
                    references=2)
