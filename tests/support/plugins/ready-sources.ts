import {readdirSync, readFileSync} from "node:fs"
import {root} from "../host/runtimes.ts"

/**
 * The unchanged sources of a ready plugin, by their paths in a project that has several. Each has its folder, because
 * two of them may have a `lib/texts.ts`.
 */
export const readySources = (name: string): Readonly<Record<string, string>> => ({
  [`plugins/${name}.ts`]: `export {default} from "../ready/${name}/plugins/${name}.ts"\n`,
  ...Object.fromEntries(
    readdirSync(`${root}plugins/${name}`, {recursive: true, encoding: "utf8"})
      .filter(path => /^(?:plugins|lib)\/.*\.ts$/.test(path))
      .map(path => [`ready/${name}/${path}`, readFileSync(`${root}plugins/${name}/${path}`, "utf8")]),
  ),
})
