import {existsSync, readdirSync, readFileSync} from "node:fs"
import {type Page, readPage, readPages} from "../../server/runtime/manual.ts"

/** A page with its place in docs/README.md: a heading, and the first cell of a row (empty outside of tables). */
export interface SitePage extends Page {
  readonly group: string
  readonly topic: string
}

/** Pages that list others: those follow in the same row. */
const lists = ["docs/plugins/list.md", "docs/decisions/README.md"]

/** Returns the pages of the site in the order of docs/README.md. Throws if a page is in none of its tables. */
export const sitePages = (root: string): SitePage[] => {
  const table = readFileSync(`${root}docs/README.md`, "utf8")
  const listed = readPages(root, ["docs/README.md"]).map(page => ({...page, ...placeIn(table, page.path)}))
  const pages = listed.flatMap(page => {
    if (!lists.includes(page.path)) return [page]
    const further = readPages(root, [page.path]).filter(({path}) => !listed.some(each => each.path === path))
    return [page, ...further].map(each => ({...each, group: page.group, topic: page.topic}))
  })
  const [front] = listed
  pages.splice(1, 0, {...readPage(root, "docs/README.md"), group: front?.group ?? "", topic: ""})
  const lost = pagesOf(root).filter(path => !pages.some(page => page.path === path))
  if (lost.length > 0) throw new Error(`no table of docs/README.md has ${lost.join(", ")}: add each to its row`)
  return pages
}

const placeIn = (table: string, path: string): Pick<SitePage, "group" | "topic"> => {
  const link = path.startsWith("docs/") ? path.slice("docs/".length) : `../${path}`
  const before = table.slice(0, table.search(new RegExp(`\\]\\(${link.replaceAll(".", "\\.")}[)#]`)))
  const line = before.slice(before.lastIndexOf("\n") + 1)
  return {
    group: [...before.matchAll(/^## (.*)$/gm)].at(-1)?.[1] ?? "",
    topic: /^\| ([^|]*) \|/.exec(line)?.[1] ?? "",
  }
}

const pagesOf = (root: string): string[] => [
  ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...readdirSync(`${root}docs`, {recursive: true, encoding: "utf8"})
    .filter(name => name.endsWith(".md"))
    .map(name => `docs/${name}`),
  ...["examples", "plugins"].flatMap(parent =>
    readdirSync(`${root}${parent}`)
      .map(name => `${parent}/${name}/README.md`)
      .filter(path => existsSync(`${root}${path}`)),
  ),
]

/** The page's path in the site: a README is the index of its folder. */
export const placeOf = (path: string): string => path.replace(/(^|\/)README\.md$/, "$1index.md")

interface Item {
  readonly text: string
  readonly link?: string
  readonly collapsed?: boolean
  readonly items?: readonly Item[]
}

/** The least pages of one row that fold into their own group. */
const many = 5

/** Returns the sidebar: a group for each table, and a folded one for each row with many pages. */
export const sidebarOf = (pages: readonly SitePage[]): Item[] =>
  Object.entries(Object.groupBy(pages, ({group}) => group)).map(([group, members = []]) => ({
    text: group,
    items: Object.entries(Object.groupBy(members, ({topic, path}) => topic || path)).flatMap(
      ([topic, rows = []]): Item[] => {
        const items = rows.map(({title, path}) => ({text: plain(title), link: `/${placeOf(path)}`}))
        return items.length < many ? items : [{text: topic, collapsed: true, items}]
      },
    ),
  }))

const plain = (title: string): string => title.replaceAll("`", "")
