import {readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"

/** The addresses that a page of a built site refers to, and the anchors that it has. */
interface BuiltPage {
  readonly links: readonly string[]
  readonly anchors: ReadonlySet<string>
}

const readBuiltPage = (html: string): BuiltPage => ({
  links: [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link = ""]) => link.replaceAll("&amp;", "&")),
  anchors: new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id)),
})

/** Returns the links and anchors of a built site that lead nowhere, each with its page; no link leaves the site for a file. */
export const deadLinks = (folder: string, base: string): string[] => {
  const files = new Set(readdirSync(folder, {recursive: true, encoding: "utf8"}))
  const pages = new Map(
    [...files]
      .filter(path => path.endsWith(".html"))
      .map(path => [path, readBuiltPage(readFileSync(join(folder, path), "utf8"))] as const),
  )
  const dead: string[] = []
  for (const [page, {links}] of pages) {
    for (const link of links) {
      const at = new URL(link, `http://site${base}${page}`)
      if (at.host !== "site") continue
      const path = decodeURIComponent(at.pathname.slice(base.length)).replace(/(^|\/)$/, "$1index.html")
      const anchor = decodeURIComponent(at.hash.slice(1))
      const isThere = at.pathname.startsWith(base) && files.has(path)
      if (!isThere || (anchor !== "" && !pages.get(path)?.anchors.has(anchor))) dead.push(`${page}: ${link}`)
    }
  }
  return dead
}
