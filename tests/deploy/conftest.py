"""The tests of `deploy/nginx.conf` need nginx. Where it is not, they are not collected."""

from tests.deploy.nginx import program

collect_ignore = [] if program() else ["test_nginx.py"]
