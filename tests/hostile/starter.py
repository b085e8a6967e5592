"""Starts commands from a small process.

The peak memory that the system reports for a process includes that of its parent
at the start, and tests hold large inputs. So the tests fork a process before they
make any; it listens on a socket, forks for each request, and answers with the
exit code and the peak."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys


class Starter:
    """The small process. Make it before anything else."""

    def __init__(self):
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind('')  # Linux: a name that no file has
        self.server.listen(64)
        self.address = self.server.getsockname()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.serve()
            finally:
                os._exit(0)
        self.server.close()

    def close(self):
        """Ends the process."""
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)

    def serve(self):
        """Answers requests until the process is terminated."""
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no zombies
        while True:
            connection, _ = self.server.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                try:
                    with connection.makefile('rw') as stream:
                        answer(stream)
                finally:
                    os._exit(0)
            connection.close()

    def run(self, command, seconds, **files):
        """Runs a command; returns its exit code and peak memory in bytes. `files`:
        cwd, env, and paths of stdin, stdout and stderr. Exit code None: the
        command took too long."""
        request = {'command': command, 'seconds': seconds, **files}
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.address)
            with connection.makefile('rw') as stream:
                stream.write(json.dumps(request) + '\n')
                stream.flush()
                reply = json.loads(stream.readline())
        return reply['code'], reply['peak']


def answer(stream):
    """Runs what a request asks for."""
    request = json.loads(stream.readline())
    code = None
    with open(request['stdin'], 'rb') as stdin, \
            open(request['stdout'], 'wb') as stdout, \
            open(request['stderr'], 'wb') as stderr:
        process = subprocess.Popen(request['command'], stdin=stdin,
                                   stdout=stdout, stderr=stderr,
                                   cwd=request['cwd'], env=request['env'])
        try:
            code = process.wait(request['seconds'])
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    stream.write(json.dumps({'code': code, 'peak': peak}) + '\n')
    stream.flush()


if __name__ == '__main__':
    sys.exit('used by hostile_test.py')
