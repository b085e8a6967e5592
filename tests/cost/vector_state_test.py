#!/usr/bin/env python3
"""Finds functions that leave the upper halves of vector registers in use.

    tests/cost/vector_state_test.py BINARY...

After them, code that is compiled for SSE, which is all but the kernels, waits 50 ns
whenever it alternates with glibc's memcpy() (Intel since Ice Lake; others wait
less): reading a heapsnapshot took 15 % longer for no visible reason. Compilers
insert a vzeroupper where it is needed, but GCC 12 does not always
(cmake/HeapglotTarget.cmake).

Follows all paths except jump tables through the functions of x86-64 binaries, and
reports each function that may return, or call another one, with more than 16 bytes
of the lower sixteen registers in use. Exits with 1 if there are any.
"""
import re
import subprocess
import sys

FUNCTION = re.compile(r'^([0-9a-f]+) <(.*)>:$')
INSTRUCTION = re.compile(r'^ *([0-9a-f]+):\t(\S+) *(.*)$')
# Matches the last operand, which is written. The upper sixteen do not matter.
WIDE = re.compile(r'%[yz]mm(?:[0-9]|1[0-5])(?:\{%k[0-7]\})?(?:\{z\})?$')
TARGET = re.compile(r'^([0-9a-f]+)\b')


def functions(binary):
    """Yields (name, [(address, operation, operands)])."""
    listing = subprocess.run(['objdump', '-d', '-C', '--no-show-raw-insn', binary],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    name, body = None, []
    for line in listing.splitlines():
        if match := FUNCTION.match(line):
            if body:
                yield name, body
            name, body = match[2], []
        elif match := INSTRUCTION.match(line):
            body.append((int(match[1], 16), match[2], match[3].split('#')[0].strip()))
    if body:
        yield name, body


def first_left(body):
    """The address where the function is left with registers in use, or None."""
    place = {address: i for i, (address, _, _) in enumerate(body)}
    seen = set()
    waiting = [(0, False)]
    while waiting:
        state = waiting.pop()
        if state in seen or state[0] >= len(body):
            continue
        seen.add(state)
        i, used = state
        address, operation, operands = body[i]
        if operation in ('bnd', 'notrack', 'rep', 'repz'):
            operation = operands.split()[0]
        if operation in ('vzeroupper', 'vzeroall'):
            used = False
        elif operation.startswith('v') and WIDE.search(operands):
            used = True
        if operation.startswith('ret') or operation.startswith('call'):
            if used:
                return address
        if operation.startswith('ret') or operation in ('ud2', 'hlt'):
            continue
        if operation.startswith('j'):
            match = TARGET.match(operands)
            target = place.get(int(match[1], 16)) if match else None
            if target is not None:
                waiting.append((target, used))
            elif used:
                return address
            if operation.startswith('jmp'):
                continue
        waiting.append((i + 1, used))
    return None


def main():
    found = looked_at = 0
    for binary in sys.argv[1:]:
        for name, body in functions(binary):
            if not any(WIDE.search(operands) for _, _, operands in body):
                continue
            looked_at += 1
            address = first_left(body)
            if address is not None:
                found += 1
                print(f'{binary}: at {address:x} {name} leaves registers in use')
    print(f'{looked_at} functions with wide registers, {found} that leave them in use')
    if looked_at == 0:
        sys.exit('no function uses wide registers: is this a binary for x86-64?')
    sys.exit(1 if found else 0)


main()
