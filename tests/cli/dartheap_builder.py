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


def sleb(number):
    out = bytearray()
    while not -64 <= number < 64:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number & 0x7F)
    return bytes(out)


def latin1(value, length=None):
    """The data of a string object."""
    units = len(value)
    return (b'\x05' + uleb(units if length is None else length) +
            text(value.encode('latin-1')))


def dart_class(name, uri='', fields=(), field_count=None, slots=None):
    library = uri.replace(':', '.')
    out = uleb(0) + text(name) + text(library) + text(uri) + text('')
    out += uleb(len(fields) if field_count is None else field_count)
    for slot, field in enumerate(fields):
        out += uleb(1) + uleb(slots[slot] if slots else slot)
        out += text(field) + text('')
    return out


def dart_object(class_id, size=0, data=b'\x00', references=(),
                reference_count=None):
    out = uleb(class_id) + uleb(size) + data
    out += uleb(len(references) if reference_count is None
                else reference_count)
    return out + b''.join(uleb(reference) for reference in references)


def dartheap(classes, objects, references, sizes=0, name='main', externals=(),
             capacity=0, class_count=None, object_count=None,
             external_count=None, hashes=None, places=None):
    """A file. Counts may be wrong; `places` gets the offsets of named parts."""
    places = {} if places is None else places

    def count(key, real, claimed):
        places[key] = len(out)
        return uleb(real if claimed is None else claimed)

    out = MAGIC + uleb(0) + text(name) + uleb(sizes) + uleb(capacity)
    out += uleb(sum(size for _, size, _ in externals) % 2**64)
    out += count('class_count', len(classes), class_count)
    places['classes'] = len(out)
    out += b''.join(classes)
    out += uleb(references)
    out += count('object_count', len(objects), object_count)
    places['objects'] = len(out)
    out += b''.join(objects)
    out += count('external_count', len(externals), external_count)
    places['externals'] = len(out)
    out += b''.join(uleb(holder) + uleb(size) + text(label)
                    for holder, size, label in externals)
    places['hashes'] = len(out)
    return out + (b'\x00' * len(objects) if hashes is None else hashes)


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
    """A reference to an object that does not exist: read with a warning."""
    return dartheap([dart_class('Root')], [dart_object(1, references=[7, 9])],
                    references=2)
