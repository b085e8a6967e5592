"""Builds small V8 heap snapshots. Layout: readers/heapsnapshot/README.md.

Every part may be given as text, so that it can be invalid."""

import json

NODE_FIELDS = ['type', 'name', 'id', 'self_size', 'edge_count']
NODE_TYPES = [['synthetic', 'object', 'string'], 'string', 'number', 'number',
              'number']
EDGE_FIELDS = ['type', 'name_or_index', 'to_node']
EDGE_TYPES = [['element', 'property'], 'string_or_number', 'node']
# A chain of a root, an object and a string.
NODES = [0, 0, 1, 0, 1, 1, 1, 3, 16, 1, 2, 2, 5, 24, 0]
EDGES = [0, 1, 5, 1, 3, 10]
STRINGS = ['', 'Person', 'Ada', 'name']


def token(value):
    """Text verbatim, anything else as compact JSON."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    return json.dumps(value, separators=(',', ':')).encode()


def document(parts, before=b'', after=b''):
    """An object of (key, value) parts."""
    body = b','.join(token(json.dumps(key)) + b':' + token(value)
                     for key, value in parts)
    return before + b'{' + body + b'}' + after


def meta(**changes):
    """The object `meta`; None leaves a key out."""
    fields = {'node_fields': NODE_FIELDS, 'node_types': NODE_TYPES,
              'edge_fields': EDGE_FIELDS, 'edge_types': EDGE_TYPES}
    fields.update(changes)
    return document((key, value) for key, value in fields.items()
                    if value is not None)


def snapshot(extra_meta=None, node_count=3, edge_count=2, order=None,
             head=None, more=(), before=b'', after=b'', **parts):
    """A file. `parts`: nodes, edges, strings and so on; None leaves one out."""
    if head is None:
        head = document([('meta', meta(**(extra_meta or {}))),
                         ('node_count', node_count),
                         ('edge_count', edge_count)])
    values = {'snapshot': head, 'nodes': NODES, 'edges': EDGES,
              'strings': STRINGS}
    values.update(parts)
    keys = order or list(values)
    return document([(key, values[key]) for key in keys
                     if values[key] is not None] + list(more), before, after)
