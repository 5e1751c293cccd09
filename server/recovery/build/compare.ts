import type {BuildIdentity} from "../../../shared/api/build.ts"

/** Returns, for example, `commit 1a2b3c4d5e6f, with uncommitted changes`. */
const describeCommit = ({commit, dirty}: BuildIdentity): string =>
  `${commit === null ? "no known commit" : `commit ${commit.slice(0, 12)}`}${dirty === true ? ", with uncommitted changes" : ""}`

/** Describes a build in one line: its id, commit, svc and lockfile. */
export const describeBuild = (build: BuildIdentity): string =>
  [
    `${build.id}: ${describeCommit(build)}`,
    `svc ${build.version}`,
    build.lockfile === null ? "no lockfile" : `lockfile ${build.lockfile.slice(0, 12)}`,
    ...(build.stale.length === 0 ? [] : [`STALE: ${build.stale.join(", ")}`]),
  ].join(", ")

/** Returns the differences between a project's files and the build that its Host runs, which the next start would apply. */
export const buildChanges = (running: BuildIdentity, files: BuildIdentity): readonly string[] => [
  ...(running.commit === files.commit && running.dirty === files.dirty
    ? []
    : [`the Host was started at ${describeCommit(running)}`]),
  ...(running.version === files.version ? [] : [`the Host runs svc ${running.version}, not ${files.version}`]),
  ...(running.lockfile === files.lockfile ? [] : ["the lockfile has changed since"]),
  ...running.plugins
    .filter(({name, origin, content}) => {
      const built = files.plugins.find(each => each.name === name)
      return origin === "built" && built?.content !== content
    })
    .map(({name}) => `dist/plugins/${name}.js has changed since`),
]
