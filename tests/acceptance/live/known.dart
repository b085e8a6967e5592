// A program whose heap is known: live.mjs finds everything below in its
// snapshot.
//
// usage: dart --disable-dart-dev known.dart OUT.dartheap
//
// Fields are declared Object?, or the VM would keep numbers unboxed in their
// objects, where a snapshot does not show them.
import 'dart:developer';
import 'dart:io';
import 'dart:isolate';
import 'dart:typed_data';

class Base {
  Object? inherited = 'from Base';
}

class Place {
  final Object? x;
  final Object? y;
  const Place(this.x, this.y);
}

class Box<T> {
  final T content;
  Box(this.content);
}

// dart:io has a Link, too: only the library tells them apart.
class Link {
  final Object? label;
  Link? next;
  Link(this.label);
}

enum Color { red, green, blue }

class Numbers {
  Object? zero = 0;
  Object? smi = 42;
  Object? negativeSmi = -7;
  Object? largestSmi32 = 0x3fffffff;
  Object? smallestSmi32 = -0x40000000;
  Object? mint = 0x40000000;
  Object? negativeMint = -0x40000001;
  Object? above32Bits = 5000000000;
  Object? above62Bits = 0x4000000000000001;
  Object? largest = 0x7fffffffffffffff;
  Object? smallest = -0x8000000000000000;
  Object? half = 0.5;
  Object? wholeDouble = 3.0;
  Object? negativeZero = -0.0;
  Object? huge = 1e300;
  Object? tiny = 5e-324;
  Object? nan = double.nan;
  Object? infinity = double.infinity;
  Object? negativeInfinity = double.negativeInfinity;
}

class Strings {
  Object? empty = '';
  Object? ascii = 'plain text';
  Object? latin1 = 'caf\u00e9 \u00ff';
  Object? controls = 'tab\tquote"backslash\\nul\u0000end';
  Object? utf16 = '\u6f22\u5b57';
  Object? emoji = 'smile \u{1f600}';
  Object? loneSurrogate = String.fromCharCodes([0x61, 0xd83d, 0x62]);
  Object? long = 'x' * 200;
}

class Collections {
  Object? fixed = List<Object?>.filled(3, null)..[1] = 'middle';
  Object? growable = <Object?>['first', 2, null];
  Object? constList = const [10, 20];
  Object? emptyList = <Object?>[];
  Object? stringKeys = <Object?, Object?>{'alpha': 1, 'beta gamma': 2};
  Object? intKeys = <Object?, Object?>{7: 'seven', -3: 'minus three', 4294967295: 'too large'};
  Object? otherKeys = <Object?, Object?>{1.5: 'double', true: 'bool', null: 'nothing'};
  Object? objectKeys = <Object?, Object?>{Color.red: 'red value', 'text': 1, Color.blue: 2};
  Object? deletedKeys = <Object?, Object?>{'a': 1, 'b': 2, 'c': 3}..remove('b');
  Object? constMap = const {'const': 'entry'};
  Object? set = <Object?>{'one', 'two', 'three'}..remove('two');
  Object? constSet = const {'only'};
}

class Known extends Base {
  Object? nothing;
  Object? yes = true;
  Object? no = false;
  final numbers = Numbers();
  final strings = Strings();
  final collections = Collections();
  Object? record = (1, 'two', named: 3.5);
  Object? color = Color.green;
  Object? point = const Place(3, 4);
  Object? box = Box<String>('boxed');
  Object? bytes = Uint8List(1000);
  Object? doubles = Float64List.fromList([1.5, 2.5]);
  Object? type = Place;
  Link? ring;
  Object? closure;
  Object? tearOff = main;
  Object? weak;
  Object? weaklyHeld;
  Object? expando;
  Object? external;
}

// Where live.mjs starts: static fields are found under their isolate.
final known = Known();
Object? worker;

Function makeClosure() {
  final captured = Place('captured', 'twice');
  int useCaptured(int times) => '${captured.x}'.length * times;
  return useCaptured;
}

void fillKnown(String file) {
  final a = Link('ring a'), b = Link('ring b');
  a.next = b;
  b.next = a;
  known.ring = a;
  known.closure = makeClosure();
  known.weaklyHeld = Link('weakly held');
  known.weak = WeakReference<Object>(known.weaklyHeld!);
  known.expando = Expando<Object>('my expando')..[known.weaklyHeld!] = 'expando value';
  File(file).writeAsBytesSync(List<int>.filled(50000, 65));
  final opened = File(file).openSync();
  known.external = opened.readSync(50000);
  opened.closeSync();
}

void runWorker(SendPort ready) {
  worker = Link('in the worker');
  final port = ReceivePort();
  ready.send(port.sendPort);
}

Future<void> main(List<String> arguments) async {
  fillKnown(arguments[0]);
  final ready = ReceivePort();
  await Isolate.spawn(runWorker, ready.sendPort, debugName: 'worker');
  await ready.first;
  NativeRuntime.writeHeapSnapshotToFile(arguments[0]);
  exit(0);
}
