"""Reports on a check that other programs show: a line for each finding, GitHub's annotations, SARIF 2.1.0, JUnit."""
