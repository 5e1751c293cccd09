import {readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"

/** Returns the folder of a bundled file's package; undefined for svc's own files. */
export const packageOf = (file: string): string | undefined =>
  /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]

/** Returns the licences of all bundled packages as one text. `inputs` are the bundled files, relative to `root`. */
export const licencesOf = (root: string, inputs: readonly string[]): string => {
  const folders = new Set(inputs.map(packageOf).filter(folder => folder !== undefined))
  const entries = [...folders].map(folder => {
    const {name, version, license} = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
    const file = readdirSync(join(root, folder)).find(each => /^(licen[cs]e|copying)/i.test(each))
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(root, folder, file), "utf8").trim()
    return `${name} ${version}\n\n${text}\n`
  })
  return `svc's bundles contain these packages.\n\n${[...new Set(entries)].sort().join(`\n${"-".repeat(80)}\n\n`)}`
}
