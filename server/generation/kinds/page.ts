import {messageOf} from "../../../shared/problems.ts"
import {type PageFolder, type PageHandler, type PluginPage, pagePattern} from "../../../shared/sdk/plugin/page.ts"
import {fieldsOf} from "../../../shared/sdk/session/values.ts"
import {requireKeys} from "../checks/keys.ts"
import {type PageFiles, readPageFolder} from "../plugins/page-folder.ts"
import {declarationsOf, type Owner, type Setup} from "./kind.ts"

/** A page that the configuration lists. */
export type PublishedPage = {readonly instance: Owner; readonly path: string} & (
  | {readonly handle: PageHandler}
  /** As they were when the generation was made. */
  | {readonly folder: string; readonly files: PageFiles}
)

/** Returns the folders of pages, with their content: equal if both are. */
export const foldersOf = (pages: readonly PublishedPage[]) =>
  pages.flatMap(page =>
    "files" in page ? [{folder: page.folder, tags: [...page.files].map(([name, {etag}]) => [name, etag])}] : [],
  )

export const pages = (setup: Setup) => {
  const declared: PluginPage[] = []
  const page = (path: string, shown: PageHandler | PageFolder): void => {
    const what = setup.begin("page", path)
    if (!new RegExp(pagePattern).test(path)) {
      const instead = "read the query of its requests, or use plugin.route, for parameters"
      throw new Error(`${what}: the path must be fixed, such as /callback; ${instead}`)
    }
    if (typeof shown !== "function" && typeof fieldsOf(shown).folder !== "string")
      throw new TypeError(`${what} needs a function, or {folder}`)
    if (typeof shown !== "function") requireKeys(what, shown, "page")
    if (declared.some(each => each.path === path)) throw new Error(`${what} is declared twice`)
    declared.push({path, shown})
  }
  return declarationsOf({
    methods: {page},
    declared,
    publish: ({owner: instance, loaded, report}) => {
      // Pages need no token, so the operator lists them.
      const listed = loaded.config.plugins[instance.name]?.pages ?? []
      return {
        items: declared.flatMap(({path, shown}): PublishedPage[] => {
          if (!listed.includes(path)) return []
          if (typeof shown === "function") return [{instance, path, handle: shown}]
          try {
            return [{instance, path, ...readPageFolder(instance.folder, shown.folder)}]
          } catch (error) {
            report(`page("${path}"): ${messageOf(error)}`)
            return []
          }
        }),
        capabilities: declared.map(({path, shown}) => ({
          kind: "page",
          name: path,
          description: typeof shown === "function" ? undefined : shown.folder,
        })),
      }
    },
  })
}
