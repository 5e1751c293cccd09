import type {BuildIdentity} from "../../../shared/api/build.ts"

/** For people: `commit 1a2b3c4d5e6f, with uncommitted changes`. */
const describeCommit = ({commit, dirty}: BuildIdentity): string =>
  `${commit === null ? "no known commit" : `commit ${commit.slice(0, 12)}`}${dirty === true ? ", with uncommitted changes" : ""}`

/** What a build is, in one line: its id, commit, svc and lockfile. */
export const describeBuild = (build: BuildIdentity): string =>
  [
    `${build.id}: ${describeCommit(build)}`,
    `svc ${build.version}`,
    build.lockfile === null ? "no lockfile" : `lockfile ${build.lockfile.slice(0, 12)}`,
    ...(build.stale.length === 0 ? [] : [`STALE: ${build.stale.join(", ")}`]),
  ].join(", ")

/** In what the files of a project differ from the build that its Host runs: what the next start would change. */
export const buildChanges = (running: BuildIdentity, files: BuildIdentity): readonly string[] => [
  ...(running.commit === files.commit ? [] : [`the Host was started at ${describeCommit(running)}`]),
  ...(running.version === files.version ? [] : [`it runs svc ${running.version}, not ${files.version}`]),
  ...(running.lockfile === files.lockfile ? [] : ["the lockfile has changed since"]),
  ...running.plugins
    .filter(({name, origin, content}) => {
      const built = files.plugins.find(each => each.name === name)
      return origin === "built" && built !== undefined && built.content !== content
    })
    .map(({name}) => `dist/plugins/${name}.js has changed since`),
]
