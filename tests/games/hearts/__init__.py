"""Tests of Hearts and Spot Hearts."""
