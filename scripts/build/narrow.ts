import {transform} from "esbuild"

/**
 * Leaves out the space between the words of a bundle, and keeps its lines short enough to find a place in them. The text is
 * ASCII: Bun reads a bundle with its pragma as Latin-1.
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
