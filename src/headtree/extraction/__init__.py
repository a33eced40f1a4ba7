"""Sources -> Markdown documents with figures and tables, in the order of the data's way.

::

    corpus            files and folders -> sources, each with its document's id
    extract           the one entry point; command: what a user types and sees
    html, markdown_copy   sources that are no PDFs

    the local engine, one page (in parallel processes):
      pages           words, rules, shapes, bitmaps and links, by pdfium; ocr: words of a scan
      lines           words -> lines
      layout          the model's boxes for figures, tables, formulas
      captions, tables, figures (with caption_binding), formulas, crops
      reading_order   columns
      page_reading    all of that for one page
    the local engine, the document:
      furniture       without running headers and page numbers
      text_style, numbering, headings (with heading_words, heading_surroundings, contents), heading_levels
      joining, flow   lines -> paragraphs, lists, footnotes, listings
      local           the engine

    adobe ...         the Adobe engine

    blocks            what both engines hand over
    rendering         blocks -> Markdown (with markdown_text)
    writing           Markdown, images and provenance, whole or not at all
"""
