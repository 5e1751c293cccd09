import {transform} from "esbuild"

/**
 * Removes white space from a bundle, and limits its line length so that positions in it are useful. The text is ASCII,
 * because Bun reads a bundle with its pragma as Latin-1.
 */
export const narrow = async (text: string): Promise<string> => {
  const {code} = await transform(text, {
    minifyWhitespace: true,
    lineLimit: 160,
    charset: "ascii",
    legalComments: "none",
  })
  return code
}
