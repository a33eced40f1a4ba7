"""Your settings: uncomment a line and change it.

Everything here can also be given in the environment or in `.env`, with the prefix `HEADTREE_`
(`HEADTREE_MAX_FIGURES=4`); the environment wins. `docs/configuration.md` describes every setting.
"""

# DOCUMENTS = "data/documents"   # folder of Markdown documents and their images
# INDEX = "data/index"           # folder of the index; safe to delete, it is built again

# HEADING_REPAIR = True          # let numbering decide depth and demote false headings
# NOISE_FILTER = True            # leave contents, references, glossaries and the like unindexed
# NOISE_TITLES = (r"our offices",)     # more section titles to leave out (regular expressions)
# KEEP_TITLES = (r"glossary",)         # titles to index whatever the noise filter says

# EMBEDDER = "auto"              # Gemini where its key is set, else "local" (bundled MiniLM); "none" (lexical only),
#                                # "gemini/<model>" or a folder with an ONNX model
# MILVUS_URI = "http://host:19530"   # keep vectors on a Milvus server instead of in a FAISS file
# SECTIONS = 5                   # sections that are read to answer (k)
# MAX_FIGURES = 6                # most pictures in an answer

# CHATS = "data/chats"           # folder of the chat's conversations and feedback
# CHAT_UPLOADS = True            # whether visitors of the chat may add and remove documents

# Language models. "auto" takes Gemini where GEMINI_API_KEY is set, else Claude where ANTHROPIC_API_KEY is, else none
# SYNTHESIS_MODEL = "auto"       # writes the answer: "auto", "local", "gemini/<model>" or "claude/<model>"
# RERANK_MODEL = "auto"          # chooses the sections that are read
# NOISE_MODEL = "auto"           # adds to the noise filter's rules when the index is built
# CONTEXTUAL_CHUNKS = False      # let a model place each chunk in its document; `headtree index` asks what it may cost
# CONTEXT_MODEL = "auto"         # which one
# DESCRIBE_FIGURES = False       # let a model look at each figure once and write what it shows; asked for too
# DESCRIBER_MODEL = "auto"       # which one
# VISION_FILTER = False          # let a model look at the chosen pictures and drop what is wrong
# VISION_MODEL = "auto"          # which one
# WHOLE_CORPUS = False           # read documents whole, where they fit into WHOLE_CORPUS_TOKENS = 200_000
# CLAUDE_BASE_URL = "http://127.0.0.1:8080"    # a server of your own that speaks the Messages API
