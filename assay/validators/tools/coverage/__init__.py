"""Line coverage of a run, from the reports it wrote."""
