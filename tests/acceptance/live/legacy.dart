// Objects for a snapshot by the VM service: VMs before 3.0.5 cannot write one
// themselves. Waits for the request (service_snapshot.mjs).
//
// usage: dart --disable-dart-dev --enable-vm-service=0 legacy.dart
import 'dart:async';

class Node {
  final Object? label;
  Node? next;
  Node(this.label);
}

class Legacy {
  Object? numbers = <Object?>[-1, 0x40000000, 0x7fffffffffffffff, -0.0, 1e21];
  Object? strings = <Object?>['caf\u00e9', '\u6f22\u5b57 \u{1f600}', 'x' * 200];
  Object? map = <Object?, Object?>{'a': 1, 'b': 2, 7: 'seven'}..remove('b');
  Object? set = <Object?>{'one', 'two'};
  Object? constMap = const {'const': 'entry'};
  Object? closure;
  Node? ring;
}

final legacy = Legacy();

void main() {
  final ring = Node('ring');
  ring.next = ring;
  legacy.ring = ring;
  legacy.closure = () => ring.label;
  Timer(const Duration(minutes: 1), () {});
  print('READY');
}
