import type {ProjectConfig} from "../../../shared/config/config.ts"
import type {Log} from "../../../shared/log.ts"
import {mediaTypeOf} from "../../../shared/media-types.ts"
import {single} from "../../../shared/metrics/readings.ts"
import type {Element} from "../../../shared/sdk/content/elements.ts"
import {type StoredFile, storedHash} from "../../../shared/sdk/content/file-source.ts"
import type {Database} from "../../database/database.ts"
import type {Part} from "../../runtime/part.ts"
import {FileStore} from "./store.ts"

export interface FilesOptions {
  readonly database: Database
  readonly log: Log
  readonly paths: {readonly files: string}
}

export interface FilesPart extends Part {
  readonly store: FileStore
  /** Opens the stored file that an element shows, for adapters; undefined if it shows none. */
  open(element: Element): Promise<StoredFile | undefined>
}

export const createFiles = (
  {database, log, paths}: FilesOptions,
  running: {readonly settings: Pick<ProjectConfig, "files">},
): FilesPart => {
  const store = new FileStore({
    folder: paths.files,
    database,
    log,
    quota: () => running.settings.files.quota * 1024 ** 2,
  })
  return {
    name: "the files",
    store,
    start: () => store.start(),
    close: () => store.stop(),
    limit: 250,
    metrics: [
      {
        group: "storage",
        read: async () => ({
          svc_files_bytes: single((await store.usage()).bytes),
          svc_files_quota_bytes: single(store.quota),
        }),
      },
    ],
    open: async ({attrs: {src, title, type}}) => {
      const sha256 = storedHash(src)
      if (sha256 === undefined) return undefined
      const name = title === undefined ? {} : {name: String(title)}
      return store.open(sha256, {...name, type: String(type ?? mediaTypeOf(String(title ?? "")))})
    },
  }
}
