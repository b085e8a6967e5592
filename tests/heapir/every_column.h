// A stream with every kind of chunk and every column, and one with two graphs.
#ifndef HEAPGLOT_TESTS_HEAPIR_EVERY_COLUMN_H_
#define HEAPGLOT_TESTS_HEAPIR_EVERY_COLUMN_H_

namespace heapglot {

// One chunk per line, for ParseStream(). All columns except Edges.from.
inline constexpr char kEveryColumn[] = R"(
header { format: "test" dialect: "every-column" source_size: 11 source_sha256: "0123456789abcdef0123456789ABCDEF" }
source_image { method: PATCHED profile: "1;eol=lf" size: 11 sha256: "x" xxh3_128: "y" copy: [3, 0] remove: [1, 0] insert: [2, 1] data: "abc" continued: true }
source_image { copy: 1 remove: 9 insert: 0 }
graph { name { data: "m\355\240\200" encoding: WTF8 } flags: 5 id_space: ADDRESS root_ref: 1 pointer_size: 8 edges_grouped: true self_size_total: 0 capacity: 9223372036854775808 external_size_total: 1 edge_count: 2 node_count: 3 trace_function_count: 4 extra_native_bytes: 5 has_identity_hashes: false source_version { data: "2" } timestamp { data: "0xff" } end_name { data: "\377" encoding: BYTES } end_timestamp { data: "1" } node_schema { name: "type" type: "enum" } node_schema { name: "id" } edge_schema { name: "e" } location_schema { name: "l" } sample_schema { name: "s" } trace_function_schema { name: "f" } trace_node_schema { name: "n" type: "children" } }
strings { first: 1 data: "objectitem" length: [6, 4] source_id: [4294967297, 8] names: true }
vocabulary { name: [1, 2] known: [4, 0] source_code: [-1, 7] }
vocabulary { space: EDGE_KIND name: [2, 1] known: [3, 2] source_code: [0, 1] name_form: [1, 2] edge_flags: [0, 1] }
vocabulary { space: ROOT_KIND name: [1, 0] known: [6, 1] }
vocabulary { space: HEAP_SPACE name: 2 }
types { count: 2 id: [281474976710656, 281474976710720] name: [1, 2] flags: [1, 0] library_name: [2, 0] library_uri: [0, 2] reserved: [1, 1] super_ref: [0, 1] instance_size: [16, 24] loader_ref: [1, 0] module: [1, 0] class_node_ref: [2, 3] source_position: [0, 2] field_count: [2, 1] field_flags: [1, 0, 3] field_slot: [0, 1, 0] field_name: [1, 2, 0] field_reserved: [0, 0, 2] field_type: [2, 10, 11] extra { name: "t" type: "int" ints: [-1, 5] strings: [2, 0] bits: [1, 2] } field_extra { name: "heapglot:f" ints: [1, 0, -9223372036854775808] } }
strings { first: 3 data: "fgh" length: [1, 2] encoding: [UTF8, UTF8] }
nodes { count: 2 id: [140737488355328, 140737488355360] kind: [0, 1] type_ref: [1, 99] name: [4, 0] self_size: [16, 4294967296] edge_count: [2, 1] trace_node: [1, 0] detachedness: [0, 2] identity_hash: [0, 77] flags: [0, 5] heap_space_ref: [1, 0] stack_frame_ref: [2, 0] value_form: [8, 4] value: [3, 9221120237041090561] value_length: [0, 9] value_encoding: [0, 1] extra { name: "x" type: "number" ints: [-2, 3] } extra { name: "y" bits: [0, 4607182418800017408] strings: [1, 2] } }
edges { count: 2 edges_per_node: 2 kind: [0, 1] name_form: [1, 2] name: [2, 18446744073709551615] to_form: [0, 2] to: [2, 3405691582] flags: [1, 0] extra { name: "w" ints: [0, -1] } }
values { count: 2 owner: [0, 2] key: [1, 2] form: [15, 10] value: [5, 18446744073709551615] length: [1, 2] encoding: [0, 3] }
values { owner_space: OF_EDGE first: 2 count: 1 owner: 2 key: 1 form: 11 value: 2 }
strings { first: 5 data: "long te" length: [4, 3] continued: true }
strings { first: 6 data: "xt\355\240\200" length: [5] encoding: WTF8 }
nodes { first: 2 count: 1 id: 140737488355392 edge_count: 0 self_size: 8 }
edges { first: 2 count: 1 first_node: 1 edges_per_node: [1, 0] kind: 1 name_form: 2 name: 7 to_form: 3 to: 18446744073709551614 }
strings { first: 7 data: "label" length: 5 names: true }
roots { count: 2 to_form: [0, 2] to: [1, 4096] kind: [1, 0] flags: [1, 6] container_ref: [2, 0] container_id: [0, 11] label: [7, 0] thread_ref: [1, 0] frame_number: [1, 2] distance: [0, 3] extra { name: "r" strings: [7, 0] } }
externals { count: 2 to_form: [1, 0] to: [0, 2] size: [100, 200] name: [7, 0] }
locations { count: 2 to_form: [0, 2] to: [0, 5] script_id: [3, -3] line: [1, -1] column: [0, 80] extra { name: "o" ints: [1, 2] } }
trace_functions { count: 2 function_id: [0, -1] name: [1, 2] script_name: [2, 1] script_id: [5, -5] line: [1, 2] column: [3, 4] extra { name: "p" ints: [1, 2] } }
trace_nodes { count: 3 id: [1, 2, 3] function_index: [0, 1, 1] alloc_count: [1, 2, 3] alloc_size: [4, 5, 6] child_count: [1, 1, 0] extra { name: "q" ints: [1, 2, 3] } }
samples { count: 2 timestamp_us: [1600000000000000, 1600000000500000] last_assigned_id: [1, 3] extra { name: "u" bits: [1, 2] } }
stack_frames { count: 2 id: [1, 2] parent_ref: [0, 1] function: [1, 2] signature: [2, 2] source: [1, 1] line: [-1, 5] column: [0, 7] type_ref: [1, 2] flags: [1, 2] }
threads { count: 1 id: 9 name: 1 top_frame_ref: 2 node_ref: 3 }
metadata { entry { key { data: "k" } value { data: "v\377" encoding: BYTES } origin: "test" is_volatile: true } entry { key { data: "k" } value { } } }
extra { format: "test" section: "test.trailing" position: 7 data: "a" continued: true }
extra { format: "test" section: "test.trailing" position: 8 data: "b" }
extra_table { name: "scopes" count: 2 column { name: "c" type: "int" ints: [-5, 6] } column { name: "d" strings: [1, 0] } column { name: "e" type: "node" ints: [0, -1] node_refs: [3, 0] } }
record_order { body: [7, 8, 7] run: [1, 2, 1] }
graph_end { types: 2 nodes: 3 edges: 3 roots: 2 values: 3 externals: 2 locations: 2 trace_functions: 2 trace_nodes: 3 samples: 2 stack_frames: 2 threads: 1 self_size_total: 4294967320 external_size_total: 300 edges_dangling: 1 edges_immediate: 1 id_limit: 140737488355393 }
footer { graphs: 1 strings: 8 }
)";

// Two graphs, the second one with edges in any order.
inline constexpr char kTwoGraphs[] = R"(
header { format: "test" }
graph { edges_grouped: true }
nodes { count: 2 edge_count: [0, 1] }
edges { count: 1 first_node: 1 edges_per_node: 1 to: 0 }
nodes { first: 2 count: 1 edge_count: 1 }
edges { first: 1 count: 1 first_node: 2 edges_per_node: 1 to: 1 }
graph_end { nodes: 3 edges: 2 }
graph { id_space: UNSTABLE }
nodes { count: 3 }
edges { count: 3 from: [2, 0, 1] to: [0, 1, 2] }
graph_end { nodes: 3 edges: 3 id_limit: 4 }
footer { graphs: 2 strings: 1 }
)";

}  // namespace heapglot

#endif  // HEAPGLOT_TESTS_HEAPIR_EVERY_COLUMN_H_
