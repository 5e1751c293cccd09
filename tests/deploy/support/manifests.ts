import {execFileSync} from "node:child_process"
import {cpSync, readFileSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import * as client from "@kubernetes/client-node"
import {Deployment} from "kubernetes-models/apps/v1"
import {PersistentVolumeClaim, Pod, Service} from "kubernetes-models/v1"
import {parseAllDocuments} from "yaml"
import {makeFolder} from "../../support/host/project.ts"
import {root} from "../../support/host/runtimes.ts"

export const kubernetesFolder = join(root, "container/kubernetes/")

/** A resource as it is sent to the API server. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {readonly name: string; readonly labels?: Readonly<Record<string, string>>}
  readonly [key: string]: unknown
}

/** Copies the template into a new folder, with other texts in `resources.yaml`. */
export const copyTemplate = (replacements: Readonly<Record<string, string>> = {}): string => {
  const folder = makeFolder()
  cpSync(kubernetesFolder, folder, {recursive: true})
  const file = join(folder, "resources.yaml")
  let text = readFileSync(file, "utf8")
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`the template has no ${JSON.stringify(from)}`)
    text = text.replaceAll(from, () => to)
  }
  writeFileSync(file, text)
  return folder
}

export const kustomize = (folder: string): string =>
  execFileSync("kubectl", ["kustomize", folder], {encoding: "utf8", stdio: ["ignore", "pipe", "pipe"]})

export const parseManifests = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map(document => document.toJS() as Manifest)

const models = {Deployment, Service, PersistentVolumeClaim, Pod}

/** Returns wrong types, values outside their enumeration, and missing keys, by Kubernetes' published schemas. */
export const findTypeErrors = (manifest: Manifest): readonly string[] => {
  const Model = Object.entries(models).find(([kind]) => kind === manifest.kind)?.[1]
  if (Model === undefined) return [`${manifest.kind}: no model`]
  try {
    new Model(manifest as never).validate()
    return []
  } catch (error) {
    return [`${manifest.kind}: ${error instanceof Error ? error.message : String(error)}`]
  }
}

interface Attribute {
  readonly baseName: string
  readonly type: string
}

const attributesOf = (type: string): readonly Attribute[] | undefined => {
  const model: unknown = Object.entries(client).find(([name]) => name === type)?.[1]
  if (typeof model !== "function" || !("attributeTypeMap" in model)) return undefined
  return model.attributeTypeMap as readonly Attribute[]
}

/** Returns keys that Kubernetes does not know and would silently drop. */
export const findUnknownKeys = (manifest: Manifest): readonly string[] => {
  const [version = "", group] = manifest.apiVersion.split("/").reverse()
  return walk(manifest, `${version[0]?.toUpperCase()}${version.slice(1)}${manifest.kind}`, manifest.kind, group)
}

const walk = (value: unknown, type: string, path: string, group?: string): readonly string[] => {
  const item = /^Array<(.+)>$/.exec(type)?.[1] ?? /^\{ \[key: string\]: (.+); \}$/.exec(type)?.[1]
  if (item !== undefined && typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([key, each]) => walk(each, item, `${path}.${key}`))
  const attributes = attributesOf(type)
  if (attributes === undefined || typeof value !== "object" || value === null)
    return /^V\d/.test(type) ? [`${path}: no model ${type}${group ?? ""}`] : []
  return Object.entries(value).flatMap(([key, each]) => {
    const attribute = attributes.find(({baseName}) => baseName === key)
    return attribute === undefined ? [`${path}.${key}`] : walk(each, attribute.type, `${path}.${key}`)
  })
}
