const segmenter = new Intl.Segmenter(undefined, {granularity: "word"})

/** The words of a text, without case and accents. Languages without spaces are cut into words too. */
export const wordsOf = (text: string): ReadonlySet<string> => {
  const folded = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("ß", "ss")
  const words = [...segmenter.segment(folded)].filter(({isWordLike}) => isWordLike === true)
  return new Set(words.map(({segment}) => segment))
}
