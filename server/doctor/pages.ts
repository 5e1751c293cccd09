import type {ProjectConfig} from "../../shared/config/config.ts"
import type {OnceResult} from "../host/once/once.ts"
import {type Finding, ok, warning} from "./finding.ts"

const check = "pages"

const unlisted = "nobody may open these pages, because plugins.<name>.pages does not list them"

/** Compares the pages that plugins publish with those that the configuration lists. */
export const checkPages = ({plugins}: ProjectConfig, tried: OnceResult): readonly Finding[] => {
  if (!tried.committed) return []
  const published = tried.pages
  const listed = Object.entries(plugins).flatMap(([name, {enabled, pages}]) =>
    enabled ? pages.map(path => `${name}${path}`) : [],
  )
  const open = listed.filter(page => published.includes(page))
  const closed = published.filter(page => !listed.includes(page))
  const lost = listed.filter(page => !published.includes(page))
  return [
    ...(open.length === 0 ? [] : [ok(check, `anyone may open /pages/${open.join(", /pages/")}`)]),
    ...(closed.length === 0 ? [] : [ok(check, `${unlisted}: ${closed.join(", ")}`)]),
    ...lost.map(page =>
      warning(check, `its plugin does not publish the configured page ${page}`, "Correct plugins.<name>.pages"),
    ),
  ]
}
