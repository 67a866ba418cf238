"""`python -m service.verify FILE`"""

import sys

from service.verify.command import main

sys.exit(main())
