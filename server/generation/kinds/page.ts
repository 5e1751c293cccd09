import {type PageHandler, type PluginPage, pagePattern} from "../../../shared/sdk/plugin/page.ts"
import {declarationsOf, type Owner, type Setup} from "./kind.ts"

/** A page that the configuration lists. */
export interface PublishedPage {
  readonly instance: Owner
  readonly page: PluginPage
}

export const pages = (setup: Setup) => {
  const declared: PluginPage[] = []
  const page = (path: string, handle: PageHandler): void => {
    const what = setup.begin("page", path)
    if (!new RegExp(pagePattern).test(path)) throw new Error(`${what}: the path must look like /callback`)
    if (typeof handle !== "function") throw new TypeError(`${what} needs a function`)
    if (declared.some(each => each.path === path)) throw new Error(`${what} is declared twice`)
    declared.push({path, handle})
  }
  return declarationsOf({
    methods: {page},
    declared,
    publish: ({owner: instance, loaded}) => {
      // Pages need no token, so the operator lists them.
      const listed = loaded.config.plugins[instance.name]?.pages ?? []
      return {
        items: declared.flatMap((each): PublishedPage[] =>
          listed.includes(each.path) ? [{instance, page: each}] : [],
        ),
        capabilities: declared.map(({path}) => ({kind: "page", name: path})),
      }
    },
  })
}
