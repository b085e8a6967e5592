#!/usr/bin/env python3
"""Writes small SQLite databases as the draft "Extensible heap dumps for Node
programs" has them, without heapglot and without what heapglot adds:

    sqlite.py good OUT        all the draft's tables, with something in each
    sqlite.py least OUT       the fewest tables that can be read
    sqlite.py left-behind OUT what heapglot does not read
    sqlite.py large-pages OUT `least` in the largest pages there are
    sqlite.py KIND OUT        one that must be refused; KIND: see BAD

Format: docs/sqlite.md. The databases in corpus/sqlite were made with this."""

import sqlite3
import sys

SCHEMA = """
PRAGMA page_size = 512;
CREATE TABLE metadata (key TEXT, value TEXT);
CREATE TABLE node (identifier INTEGER PRIMARY KEY, nodetypeid INTEGER);
CREATE TABLE node_types (nodetypeid INTEGER PRIMARY KEY, name TEXT,
                         table_name TEXT);
CREATE TABLE array (node_identifier INTEGER PRIMARY KEY, length INTEGER);
CREATE TABLE object (node_identifier INTEGER PRIMARY KEY, constructor INTEGER);
CREATE TABLE string_flat (node_identifier INTEGER PRIMARY KEY, length INTEGER,
                          data INTEGER);
CREATE TABLE string_cons (node_identifier INTEGER PRIMARY KEY, length INTEGER,
                          s1 INTEGER, s2 INTEGER);
CREATE TABLE string_sliced (node_identifier INTEGER PRIMARY KEY,
                            length INTEGER, source INTEGER, offset INTEGER);
CREATE TABLE closure (node_identifier INTEGER PRIMARY KEY, metadata INTEGER);
CREATE TABLE function_metadata (node_identifier INTEGER PRIMARY KEY,
                                name INTEGER, script_name INTEGER,
                                position INTEGER);
CREATE TABLE regular_expression (node_identifier INTEGER PRIMARY KEY,
                                 source INTEGER, flags INTEGER);
CREATE TABLE date (node_identifier INTEGER PRIMARY KEY, timestamp INTEGER);
CREATE TABLE heap_number (node_identifier INTEGER PRIMARY KEY, value REAL);
CREATE TABLE native (node_identifier INTEGER PRIMARY KEY, address INTEGER);
CREATE TABLE oddball (node_identifier INTEGER PRIMARY KEY, name INTEGER);
CREATE TABLE edge (edgetypeid INTEGER, source INTEGER, dest INTEGER,
                   label INTEGER);
CREATE TABLE edge_types (edgetypeid INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE strings (stringid INTEGER PRIMARY KEY, data TEXT);
"""

NODE_TYPES = [
    ('array', 'array'), ('object', 'object'), ('flat string', 'string_flat'),
    ('concatenated string', 'string_cons'),
    ('sliced string', 'string_sliced'), ('code', None),
    ('closure', 'closure'), ('function metadata', 'function_metadata'),
    ('regular expression', 'regular_expression'), ('date', 'date'),
    ('heap number', 'heap_number'), ('native', 'native'),
    ('oddball', 'oddball')]
EDGE_TYPES = ['object property', 'array element', 'closure variable']
STRINGS = ['', 'Point', 'x', 'y', '0', '1', 'hello ', 'world', 'a+b', 'g',
           'null', 'app.js', 'caf\u00e9 \U0001f600']

# For each type: rows of its table, starting with the identifier. Values of nodes
# are identifiers (odd) or twice a small integer.
ROWS = [
    ('array', (101, 2)),
    ('object', (103, 115)),
    ('object', (105, 115)),
    ('string_flat', (107, 12, 7)),
    ('string_flat', (109, 10, 8)),
    ('string_cons', (111, 22, 107, 109)),
    ('string_sliced', (113, 4, 109, 2)),
    ('closure', (115, 117)),
    ('function_metadata', (117, 119, 121, 34)),
    ('string_flat', (119, 10, 2)),
    ('string_flat', (121, 12, 12)),
    ('regular_expression', (123, 125, None)),
    ('string_flat', (125, 6, 9)),
    ('date', (127, 1700000000000)),
    ('heap_number', (129, 1.5)),
    ('native', (131, 0x7f0012345678)),
    ('oddball', (133, 11)),
    (None, (135,)),
]
EDGES = [(2, 101, 103, 5), (2, 101, 105, 6), (1, 103, 84, 3),
         (1, 103, 129, 4), (1, 105, -8, 3), (1, 105, 111, 4),
         (3, 115, 127, 3), (1, 105, 9001, 13)]

LEAST = """
PRAGMA page_size = 512;
CREATE TABLE metadata (key TEXT, value TEXT);
CREATE TABLE node (identifier INTEGER PRIMARY KEY, nodetypeid INTEGER);
INSERT INTO metadata VALUES ('version_major', '1');
INSERT INTO node VALUES (3, 1);
CREATE TABLE node_types (nodetypeid INTEGER PRIMARY KEY, name TEXT);
INSERT INTO node_types VALUES (1, 'object');
"""

# An unknown table, and rows in the tables of types that belong to no node.
LEFT_BEHIND = """
CREATE TABLE notes (text TEXT);
INSERT INTO notes VALUES ('seen at night');
INSERT INTO array VALUES (103, 2);
INSERT INTO object VALUES (9001, 115);
"""

BAD = {
    'no-metadata': 'DROP TABLE metadata',
    'no-node': 'DROP TABLE node',
    'version-2': "UPDATE metadata SET value = '2'"
                 " WHERE key = 'version_major'",
    'node-is-view': 'ALTER TABLE node RENAME TO n;'
                    'CREATE VIEW node AS SELECT * FROM n',
    'node-is-virtual': 'DROP TABLE node; CREATE VIRTUAL TABLE node'
                       ' USING fts4(identifier, nodetypeid)',
    'computed-column': 'ALTER TABLE node ADD COLUMN twice'
                       ' AS (2 * identifier)',
    'identifier-even': 'INSERT INTO node VALUES (140, 2)',
    'identifier-text': 'DROP TABLE node; CREATE TABLE node (identifier TEXT,'
                       " nodetypeid); INSERT INTO node VALUES ('x', 2)",
    'string-blob': "UPDATE strings SET data = x'00ff' WHERE stringid = 3",
    'type-twice': "INSERT INTO node_types VALUES (99, 'array', NULL)",
    'type-far': "INSERT INTO node_types VALUES (1 << 40, 'far', NULL)",
    'edge-without-source': 'DROP TABLE edge;'
                           'CREATE TABLE edge (dest INTEGER)',
    'fields-type': 'CREATE TABLE hg_fields (table_name, column_name, ordinal,'
                   ' field_type, field_name); INSERT INTO hg_fields VALUES'
                   " ('node', 'identifier', 0, 'float', 'identifier')",
    'user-version': 'PRAGMA application_id = 0x68646d70;'
                    'PRAGMA user_version = 2',
    'side-without-owner': 'DROP TABLE array; CREATE TABLE array (length)',
}


def fill(db):
    db.execute("INSERT INTO metadata VALUES ('version_major', '1')")
    db.execute("INSERT INTO metadata VALUES ('target', 'a \u201cprogram\u201d')")
    db.executemany('INSERT INTO node_types VALUES (?, ?, ?)',
                   [(i, *row) for i, row in enumerate(NODE_TYPES, 1)])
    db.executemany('INSERT INTO edge_types VALUES (?, ?)',
                   enumerate(EDGE_TYPES, 1))
    db.executemany('INSERT INTO strings VALUES (?, ?)', enumerate(STRINGS, 1))
    codes = {table: i for i, (_, table) in enumerate(NODE_TYPES, 1)}
    for table, row in ROWS:
        db.execute('INSERT INTO node VALUES (?, ?)', (row[0], codes[table]))
        if table:
            marks = ', '.join('?' * len(row))
            db.execute(f'INSERT INTO {table} VALUES ({marks})', row)
    db.executemany('INSERT INTO edge VALUES (?, ?, ?, ?)', EDGES)


def main():
    kind, out = sys.argv[1:]
    db = sqlite3.connect(out)
    is_least = kind in ('least', 'large-pages')
    db.executescript(LEAST if is_least else SCHEMA)
    if not is_least:
        fill(db)
    db.commit()
    if kind == 'large-pages':
        db.executescript('PRAGMA page_size = 65536; VACUUM')
    if kind == 'left-behind':
        db.executescript(LEFT_BEHIND)
    if kind in BAD:
        db.executescript(BAD[kind])
    db.close()


if __name__ == '__main__':
    main()
