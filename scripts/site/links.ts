import {dirname, join, normalize} from "node:path"
import {fromMarkdown} from "mdast-util-from-markdown"
import {gfmFromMarkdown} from "mdast-util-gfm"
import {gfm} from "micromark-extension-gfm"

/** What a link of a page leads to, by its path in the repository: a page or a file of the site, or nothing. */
export type Target = (path: string) => string | undefined

interface Place {
  readonly offset?: number | undefined
}

interface Node {
  readonly type: string
  readonly url?: string
  readonly children?: readonly Node[]
  readonly position?: {readonly start: Place; readonly end: Place} | undefined
}

interface Edit {
  readonly from: number
  readonly to: number
  readonly text: string
}

const nodesOf = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(nodesOf)]

const rangeOf = ({position}: Node): readonly [from: number, to: number] => [
  position?.start.offset ?? 0,
  position?.end.offset ?? 0,
]

/** Returns a page's text with the links that hold in the site. A link to anything else becomes its plain text. */
export const rewriteLinks = (path: string, text: string, target: Target): string => {
  const tree: Node = fromMarkdown(text, {extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()]})
  const edits = nodesOf(tree).flatMap((node): Edit[] => {
    if (node.type !== "link" || node.url === undefined || /^([a-z]+:|#)/.test(node.url)) return []
    const [file = "", anchor] = node.url.split("#")
    const found = target(normalize(join(dirname(path), file)))
    const [from, to] = rangeOf(node)
    if (found !== undefined) {
      const link = `](${found}${anchor === undefined ? "" : `#${anchor}`})`
      return [{from: from + text.slice(from, to).lastIndexOf("]("), to, text: link}]
    }
    const words = node.children ?? []
    const inner = text.slice(rangeOf(words[0] ?? node)[0], rangeOf(words.at(-1) ?? node)[1])
    return [{from, to, text: inner}]
  })
  return edits.reduceRight((made, edit) => made.slice(0, edit.from) + edit.text + made.slice(edit.to), text)
}

/** Returns a page's text in which a picture for each theme follows the switch of the site, not only the system. */
export const followTheme = (text: string): string =>
  text.replace(
    /<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img src="([^"]+)" alt="([^"]*)">\s*<\/picture>/g,
    (_, dark: string, light: string, alt: string) =>
      `<img class="for-light" src="${dotted(light)}" alt="${alt}">\n<img class="for-dark" src="${dotted(dark)}" alt="${alt}">`,
  )

/** Vue takes a path without a dot for a file of the root. */
const dotted = (path: string): string => (path.startsWith(".") ? path : `./${path}`)
