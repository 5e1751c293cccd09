import {expect, test} from "vitest"
import {followTheme, rewriteLinks} from "../../../scripts/site/links.ts"
import {placeOf, sidebarOf, sitePages} from "../../../scripts/site/pages.ts"
import {readDocuments} from "../../support/docs/documents.ts"
import {root} from "../../support/host/runtimes.ts"

test("the tables of the documentation list every page, so the site has it once", () => {
  const paths = sitePages(root).map(({path}) => path)
  expect(paths.toSorted()).toEqual(readDocuments().map(({path}) => path))
})

test("the sidebar links to every page", () => {
  const pages = sitePages(root)
  const links = sidebarOf(pages).flatMap(({items = []}) => items.flatMap(each => each.items ?? [each]))
  expect(links.map(({link}) => link).toSorted()).toEqual(pages.map(({path}) => `/${placeOf(path)}`).toSorted())
})

test.each([
  ["[a](../README.md#try)", "[a](../index.md#try)"],
  ["[a](#here), [b](https://example.org/x.md)", "[a](#here), [b](https://example.org/x.md)"],
  ["[the `code`](../lib.ts) ends", "the `code` ends"],
  ["| a |\n| --- |\n| [x](../README.md) and [y](no.md) |", "| a |\n| --- |\n| [x](../index.md) and y |"],
  ["```\n[a](../README.md)\n```\n`[a](../README.md)`", "```\n[a](../README.md)\n```\n`[a](../README.md)`"],
])("a link leads to a page of the site, or becomes text: %j", (text, expected) => {
  expect(rewriteLinks("docs/a.md", text, path => (path === "README.md" ? "../index.md" : undefined))).toBe(expected)
})

test("a picture for each theme follows the switch of the site", () => {
  const picture = `<picture>\n  <source media="(x)" srcset="a-dark.png">\n  <img src="../a.png" alt="A">\n</picture>`
  expect(followTheme(picture)).toBe(
    `<img class="for-light" src="../a.png" alt="A">\n<img class="for-dark" src="./a-dark.png" alt="A">`,
  )
})
