"""What every process needs to run: settings, the secret key, logs, metrics."""
