import {readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"

/** The folder of the package that a bundled file is from; undefined for svc's own. */
const packageOf = (file: string): string | undefined => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]

/** The licence of every package that a bundle holds, in one text; `inputs` are the bundled files, as seen from `root`. */
export const licencesOf = (root: string, inputs: readonly string[]): string => {
  const folders = new Set(inputs.map(packageOf).filter(folder => folder !== undefined))
  const entries = [...folders].map(folder => {
    const {name, version, license} = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
    const file = readdirSync(join(root, folder)).find(each => /^(licen[cs]e|copying)/i.test(each))
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(root, folder, file), "utf8").trim()
    return `${name} ${version}\n\n${text}\n`
  })
  return `svc's bundles hold these packages.\n\n${[...new Set(entries)].sort().join(`\n${"-".repeat(80)}\n\n`)}`
}
