import type {Binding} from "../../../shared/agents/binding.ts"
import type {ModelSettings} from "../../../shared/config/agents.ts"
import {formatPath, type Path} from "../../runtime/text/path.ts"

/** A model of a binding. */
export interface BoundModel {
  readonly settings: ModelSettings
  /** The position of its settings below `agents.<name>`: empty, or `models` and its number. */
  readonly path: Path
  /** The same for people, such as `agents.helper.models[1]`. */
  readonly at: string
  /** The provider and the model: a reply's data for its model is valid only for these. */
  readonly source: string
}

const boundModel = (agent: string, settings: ModelSettings, path: Path): BoundModel => ({
  settings,
  path,
  at: formatPath(["agents", agent, ...path]),
  source: `${settings.provider}/${settings.model}`,
})

/** Returns the model that embeds the memories of a binding, if it has one. */
export const embeddingOf = ({name, config}: Pick<Binding, "name" | "config">): BoundModel | undefined => {
  const settings = config.memory?.embedding
  return settings === undefined ? undefined : boundModel(name, settings, ["memory", "embedding"])
}

/** Returns the models of a binding in the order of preference: the one of `provider` and `model`, then `models`. */
export const modelsOf = ({name, config}: Pick<Binding, "name" | "config">): readonly BoundModel[] => {
  const {provider, model, baseURL, key, prices, models} = config
  const bound = (settings: ModelSettings, path: Path) => boundModel(name, settings, path)
  const given = {
    ...(baseURL === undefined ? {} : {baseURL}),
    ...(key === undefined ? {} : {key}),
    ...(prices === undefined ? {} : {prices}),
  }
  return [
    ...(provider === undefined || model === undefined ? [] : [bound({provider, model, ...given}, [])]),
    ...models.map((settings, index) => bound(settings, ["models", index])),
  ]
}

/** Returns the usual model. The configuration is refused without one. */
export const usualModel = (binding: Pick<Binding, "name" | "config">): BoundModel => {
  const [usual] = modelsOf(binding)
  if (usual === undefined) throw new Error(`agents.${binding.name} has no model`)
  return usual
}
