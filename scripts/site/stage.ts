import {cpSync, mkdirSync, writeFileSync} from "node:fs"
import {dirname, join, relative} from "node:path"
import {followTheme, rewriteLinks, type Target} from "./links.ts"
import {placeOf, type SitePage, sidebarOf} from "./pages.ts"

export interface Site {
  readonly root: string
  readonly pages: readonly SitePage[]
  /** The path of the site on its server: `/`, or for example `/svc/`. */
  readonly base: string
  /** The folder of the built site. */
  readonly output: string
}

const config = `${import.meta.dirname}/vitepress`

/** Writes the pages, the pictures and VitePress's configuration into a folder. */
export const stage = ({root, pages, base, output}: Site, folder: string): void => {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), {recursive: true})
    writeFileSync(join(folder, path), text)
  }
  for (const {path, text} of pages) write(placeOf(path), followTheme(rewriteLinks(path, text, targetsOf(path, pages))))

  cpSync(`${root}docs/images`, join(folder, "docs/images"), {recursive: true})
  cpSync(`${root}server/console/web/icon.svg`, join(folder, "public/icon.svg"))

  cpSync(`${config}/config.js`, join(folder, ".vitepress/config.mjs"))
  cpSync(`${config}/theme.js`, join(folder, ".vitepress/theme/index.js"))
  cpSync(`${config}/style.css`, join(folder, ".vitepress/theme/style.css"))
  const site = {
    base,
    output,
    sidebar: sidebarOf(pages),
    nav: [{text: "All pages", link: "/docs/index.md"}],
    pages: Object.fromEntries(pages.map(({path, about}) => [placeOf(path), about])),
  }
  write(".vitepress/site.json", JSON.stringify(site))

  // The Markdown itself is for programs that read llms.txt.
  for (const {path} of pages) cpSync(join(folder, placeOf(path)), join(folder, "public", placeOf(path)))
  write("public/llms.txt", indexOf(pages, base))
  write("public/llms-full.txt", pages.map(({path, text}) => `<!-- ${path} -->\n\n${text.trim()}\n`).join("\n"))
}

const targetsOf =
  (from: string, pages: readonly SitePage[]): Target =>
  path => {
    if (!pages.some(page => page.path === path)) return undefined
    const link = relative(dirname(from), placeOf(path))
    return link.startsWith(".") ? link : `./${link}`
  }

/** The index for programs: the title, the path and the first sentence of every page. */
const indexOf = (pages: readonly SitePage[], base: string): string => {
  const groups = Object.entries(Object.groupBy(pages, ({group}) => group))
  const lines = groups.map(([group, members = []]) => {
    const items = members.map(({title, path, about}) => `- [${title}](${base}${placeOf(path)}): ${about}`)
    return `## ${group}\n\n${items.join("\n")}\n`
  })
  return [`# svc\n\n> ${pages.find(({path}) => path === "README.md")?.about}\n`, ...lines].join("\n")
}
