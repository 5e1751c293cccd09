import {readFileSync} from "node:fs"
import {join} from "node:path"
import {packageOf} from "./licences.ts"

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Returns a package's address (https://github.com/package-url/purl-spec): the @ of a scope is escaped. */
const purlOf = ({name, version}: Manifest): string => `pkg:npm/${name.replace("@", "%40")}@${version}`

const licencesOf = ({license}: Manifest) => {
  if (license === undefined) return {}
  const isExpression = /[ ()]/.test(license)
  return {licenses: isExpression ? [{expression: license}] : [{license: {id: license}}]}
}

const componentOf = (manifest: Manifest) => ({
  type: "library",
  "bom-ref": purlOf(manifest),
  name: manifest.name,
  version: manifest.version,
  purl: purlOf(manifest),
  ...licencesOf(manifest),
})

/**
 * Returns the bill of materials of the package, as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json): the packages in its
 * bundles and those that it names as dependencies, whose own ones the package manager chooses. `inputs` are the bundled files,
 * relative to `root`. The text depends on nothing else, so it has no time and no serial number.
 */
export const billOf = (root: string, inputs: readonly string[]): string => {
  const read = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  const own = read(".")
  const bundled = inputs.map(packageOf).filter(folder => folder !== undefined)
  const named = Object.keys(own.dependencies ?? {}).map(name => `node_modules/${name}`)
  const manifests = [...new Set([...bundled, ...named])].map(read)
  const components = [...new Map(manifests.map(each => [purlOf(each), componentOf(each)])).values()].sort(
    (one, other) => (one.purl < other.purl ? -1 : 1),
  )
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {component: {...componentOf(own), type: "application", description: own.description}},
    components,
    dependencies: [
      {ref: purlOf(own), dependsOn: components.map(({purl}) => purl)},
      ...components.map(({purl}) => ({ref: purl})),
    ],
  }
  return `${JSON.stringify(bill, undefined, 1)}\n`
}
