import type {ProjectConfig} from "../../../shared/config.ts"
import type {Log} from "../../../shared/log.ts"
import type {Element} from "../../../shared/sdk/elements.ts"
import {storedHash} from "../../../shared/sdk/files/file-source.ts"
import type {Database} from "../../database/database.ts"
import type {Endpoints} from "../../endpoints/endpoints.ts"
import {mediaTypeOf} from "../../files/media-type.ts"
import {permittedFile} from "../../files/permitted.ts"
import {FileStore} from "../../files/store.ts"
import {DraftFiles} from "../../outbox/files/draft-files.ts"
import type {ProjectPaths} from "../../runtime/project.ts"

export interface HostFilesOptions {
  readonly paths: ProjectPaths
  readonly database: Database
  readonly log: Log
  readonly settings: () => Pick<ProjectConfig, "files">
}

export const createFiles = ({paths, database, log, settings}: HostFilesOptions): FileStore =>
  new FileStore({folder: paths.files, database, log, quota: () => settings().files.quota * 1024 ** 2})

export const createDraftFiles = (
  store: FileStore,
  endpoints: Pick<Endpoints, "get">,
  {paths, database, log, settings}: HostFilesOptions,
): DraftFiles =>
  new DraftFiles({
    endpoint: name => endpoints.get(name)?.spec,
    permitted: path =>
      permittedFile(path, {
        project: paths.project,
        database: database.location.dialect === "sqlite" ? database.location.file : undefined,
      }),
    put: (content, lease) => store.put(content, lease),
    take: (pieces, lease) => store.take(pieces, lease),
    lease: () => store.lease(),
    log,
    privateHosts: () => settings().files.allowPrivate,
  })

/** Opens the stored file that an element shows, for adapters; undefined if it shows none. */
export const openShown =
  (store: FileStore) =>
  async ({attrs: {src, title, type}}: Element) => {
    const sha256 = storedHash(src)
    if (sha256 === undefined) return undefined
    const name = title === undefined ? {} : {name: String(title)}
    return store.open(sha256, {...name, type: String(type ?? mediaTypeOf(String(title ?? "")))})
  }
