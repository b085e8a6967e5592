// Next to nothing, for a small snapshot.
//
// usage: dart --disable-dart-dev tiny.dart OUT.dartheap
import 'dart:developer';

class Pair {
  Object? first = 1;
  Object? second = 'two';
}

final pair = Pair();

void main(List<String> arguments) {
  pair.second;
  NativeRuntime.writeHeapSnapshotToFile(arguments[0]);
}
