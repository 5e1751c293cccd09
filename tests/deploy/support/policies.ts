import {DefaultPluginLoader, DisabledFixer, MonokleValidator, ResourceParser, SchemaLoader} from "@monokle/validation"
import {stringify} from "yaml"
import type {Manifest} from "./manifests.ts"

/** The number of rules, and the rules that the manifests break. */
export interface Judgement {
  readonly rules: number
  readonly broken: readonly string[]
}

type Rules = Readonly<Record<string, boolean>>

const createValidator = (rules?: Rules) =>
  new MonokleValidator(
    {
      loader: new DefaultPluginLoader(),
      parser: new ResourceParser(),
      schemaLoader: new SchemaLoader(),
      suppressors: [],
      fixer: new DisabledFixer(),
    },
    {plugins: {"pod-security-standards": true, practices: true}, ...(rules === undefined ? {} : {rules})},
  )

/** Every rule of the two sets, including those that are off by default. */
const allRules = async (): Promise<Rules> => {
  const validator = createValidator()
  await validator.validate({resources: []})
  return Object.fromEntries(
    Object.entries(validator.rules).flatMap(([set, rules]) => rules.map(({name}) => [`${set}/${name}`, true])),
  )
}

/** Judges manifests by the rules of Pod Security and good practice. */
export const judge = async (manifests: readonly Manifest[]): Promise<Judgement> => {
  const rules = await allRules()
  const resources = manifests.map((content, index) => ({
    id: String(index),
    fileId: "resources.yaml",
    filePath: "resources.yaml",
    fileOffset: 0,
    text: stringify(content),
    apiVersion: content.apiVersion,
    kind: content.kind,
    name: content.metadata.name,
    content,
  }))
  const {runs} = await createValidator(rules).validate({resources})
  const broken = runs.flatMap(({results}) => results.map(({ruleId, message}) => `${ruleId} ${message.text}`))
  return {rules: Object.keys(rules).length, broken: [...new Set(broken)].sort()}
}
