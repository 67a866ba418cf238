"""Addresses of callers, as far as limits tell them apart."""

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

_NETWORK_BITS: Final = 64
"""A household has a network of IPv6 addresses that long, and chooses among them as it likes."""


def limit_of_address(what: str, host: str) -> tuple[str, str]:
    """Return the limit of something for an address, and what it counts by: the address, or the network of it.

    There is one of each for IPv4 and IPv6, such as `guests_ipv4`.
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:  # a socket of this machine, or what a trusted proxy calls its client
        return f"{what}_ipv4", host[:100]
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return f"{what}_ipv6", str(ip_network((address, _NETWORK_BITS), strict=False))
        address = address.ipv4_mapped
    return f"{what}_ipv4", str(address)
