"""An interpreter whose frames are data: it runs the code of threads."""
