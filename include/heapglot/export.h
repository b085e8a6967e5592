// What the shared library shows of itself: all else is hidden.
#ifndef HEAPGLOT_EXPORT_H_
#define HEAPGLOT_EXPORT_H_

#define HEAPGLOT_API [[gnu::visibility("default")]]

#endif  // HEAPGLOT_EXPORT_H_
