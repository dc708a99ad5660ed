"""Score recall on a folder of documents with questions or judged queries."""
