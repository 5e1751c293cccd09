/** The bot's texts in each of its languages. */
export const texts = {
  en: {
    pushed: "{who} pushed {count, plural, one {# commit} other {# commits}} to {branch}",
    branchCreated: "{who} created the branch {branch}",
    branchDeleted: "{who} deleted the branch {branch}",
    tagCreated: "{who} created the tag {tag}",
    tagDeleted: "{who} deleted the tag {tag}",
    earlier: "{count, plural, one {and # earlier commit} other {and # earlier commits}}",
    issue: "{who} {action, select, open {opened} close {closed} other {reopened}} issue {number}: {title}",
    merge:
      "{who} {action, select, open {opened} close {closed} merge {merged} approved {approved} other {reopened}} merge request {number}: {title}",
    pipeline: "Pipeline {id} on {branch} {status, select, success {succeeded} failed {failed} other {was canceled}}",
    release: "Release {name} is out",
    note: "{who} commented on {kind, select, issue {issue} merge {merge request} snippet {snippet} other {commit}} {number} ({title}): {text}",
  },
  de: {
    pushed: "{who} hat {count, plural, one {# Commit} other {# Commits}} nach {branch} gepusht",
    branchCreated: "{who} hat den Branch {branch} angelegt",
    branchDeleted: "{who} hat den Branch {branch} gelöscht",
    tagCreated: "{who} hat den Tag {tag} angelegt",
    tagDeleted: "{who} hat den Tag {tag} gelöscht",
    earlier: "{count, plural, one {und # früherer Commit} other {und # frühere Commits}}",
    issue:
      "{who} hat Issue {number} {action, select, open {eröffnet} close {geschlossen} other {wieder geöffnet}}: {title}",
    merge:
      "{who} hat Merge-Request {number} {action, select, open {eröffnet} close {geschlossen} merge {gemergt} approved {freigegeben} other {wieder geöffnet}}: {title}",
    pipeline:
      "Pipeline {id} auf {branch} {status, select, success {war erfolgreich} failed {ist fehlgeschlagen} other {wurde abgebrochen}}",
    release: "Das Release {name} ist da",
    note: "{who} hat {kind, select, issue {Issue} merge {Merge-Request} snippet {Snippet} other {Commit}} {number} ({title}) kommentiert: {text}",
  },
} as const
