"""convert.mjs in Python."""
import json
import struct
import sys

with open(sys.argv[1], 'rb') as file:
    data = file.read()
at = 8  # after the magic


def uleb():
    global at
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        if byte < 0x80:
            return value
        shift += 7


def raw(size):
    global at
    at += size
    return data[at - size:at]


def text():
    return raw(uleb()).decode('utf-8', 'replace')


def value():
    tag = uleb()
    if tag == 2:
        raw(1)
    elif tag in (3, 7):
        uleb()
    elif tag == 4:
        struct.unpack('<d', raw(8))
    elif tag == 5:
        uleb()
        return raw(uleb()).decode('latin-1')
    elif tag == 6:
        uleb()
        return raw(2 * uleb()).decode('utf-16-le', 'replace')
    elif tag == 8:
        return text()
    return None


numbers = {'': 0, '(root)': 1}


def number(string):
    return numbers.setdefault(string, len(numbers))


uleb()
text()
for _ in range(3):
    uleb()
classes = [(number('(unknown)'), {})]
for _ in range(uleb()):
    uleb()
    name = number(text())
    for _ in range(3):
        text()
    fields = {}
    for _ in range(uleb()):
        uleb()
        slot = uleb()
        fields[slot] = number(text())
        text()
    classes.append((name, fields))

uleb()
nodes, edges = [], []
count = uleb()
for i in range(count):
    name, fields = classes[uleb()]
    size = uleb()
    string = value()
    references = uleb()
    nodes += (9 if i == 0 else 3 if string is None else 2,
              name if string is None else number(string),
              2 * i + 1, size, references, 0, 0)
    for slot in range(references):
        field = fields.get(slot)
        edges += (1 if field is None else 2, slot if field is None else field,
                  7 * max(0, uleb() - 1))

with open(sys.argv[2], 'w', encoding='utf-8') as out:
    json.dump({
        'snapshot': {
            'meta': {
                'node_fields': ['type', 'name', 'id', 'self_size', 'edge_count',
                                'trace_node_id', 'detachedness'],
                'node_types': [['hidden', 'array', 'string', 'object', 'code',
                                'closure', 'regexp', 'number', 'native',
                                'synthetic']],
                'edge_fields': ['type', 'name_or_index', 'to_node'],
                'edge_types': [['context', 'element', 'property', 'internal',
                                'hidden', 'shortcut', 'weak']],
            },
            'node_count': count, 'edge_count': len(edges) // 3,
        },
        'nodes': nodes, 'edges': edges, 'strings': list(numbers),
    }, out)
