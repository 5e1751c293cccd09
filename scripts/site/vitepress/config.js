import {existsSync, readFileSync, realpathSync, symlinkSync} from "node:fs"
import {join} from "node:path"

/** VitePress runs this file in the folder of the staged pages. `site.json` beside it has what depends on the pages. */
const folder = process.argv.at(-1)
const site = JSON.parse(readFileSync(join(folder, ".vitepress/site.json"), "utf8"))

// bunx keeps VitePress outside of this folder, but the build looks for vue in the folder's own packages.
const packages = join(folder, "node_modules")
if (!existsSync(packages)) symlinkSync(join(realpathSync(process.argv[1]), "../../.."), packages)

/** The anchors that GitHub gives to headings. */
const slugify = heading =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-")

/** Vue would evaluate two braces in a page's text or code. */
const keepBraces = markdown => {
  const {code_inline: code, text} = markdown.renderer.rules
  markdown.renderer.rules.code_inline = (...given) => code(...given).replace("<code", "<code v-pre")
  markdown.renderer.rules.text = (...given) => text(...given).replaceAll("{{", "&#123;&#123;")
}

export default {
  base: site.base,
  outDir: site.output,
  srcExclude: ["public/**"],
  title: "svc",
  titleTemplate: ":title · svc",
  description: site.pages["index.md"],
  lang: "en",
  head: [["link", {rel: "icon", type: "image/svg+xml", href: `${site.base}icon.svg`}]],
  ignoreDeadLinks: "localhostLinks",
  markdown: {
    anchor: {slugify},
    config: keepBraces,
    // GitHub has neither attributes in braces nor these names of emoji in its code.
    attrs: {disable: true},
    emoji: {defs: {}, shortcuts: {}},
    theme: {light: "github-light-high-contrast", dark: "github-dark-high-contrast"},
  },
  transformPageData: ({relativePath}) => ({description: site.pages[relativePath]}),
  themeConfig: {
    search: {provider: "local"},
    sidebar: site.sidebar,
    nav: site.nav,
    outline: {level: [2, 3]},
  },
}
