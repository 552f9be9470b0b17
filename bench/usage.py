"""`python bench/usage.py PROGRAM ...`: runs a file or a module, and writes its CPU time and peak memory to standard error.

The line is the same as that of usage.mjs.
"""

import atexit
import json
import re
import resource
import runpy
import sys


def report() -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    kilobytes = used.ru_maxrss
    try:
        with open("/proc/self/status") as status:
            kilobytes = int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1))
    except OSError:
        pass  # no /proc: another system
    print(f"\n{json.dumps({'seconds': used.ru_utime + used.ru_stime, 'kilobytes': kilobytes})}", file=sys.stderr)


atexit.register(report)
sys.argv = sys.argv[1:]
run = runpy.run_path if sys.argv[0].endswith(".py") else runpy.run_module
run(sys.argv[0], run_name="__main__")
