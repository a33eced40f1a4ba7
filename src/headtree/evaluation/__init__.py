"""Asks a question set, scores the answers by layer, compares runs: suite -> runner -> measures -> summary -> report."""
