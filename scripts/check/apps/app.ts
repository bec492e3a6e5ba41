// An app of the generated client, as somebody would write it: what does not compile here is a fault of the document.
import {
  AccountsApi, Configuration, ErrorCode, ProjectsApi, ResponseError, SyncApi, TasksApi,
  type Problem, type PullPage, type Session, type TasksRow, type TasksUpload, type UploadAnswer, type UserPage,
} from './generated/index.js'

const [server, token, project] = process.argv.slice(2) as [string, string, string]
const configuration = new Configuration({ basePath: `${server}/api/v1`, accessToken: token })
const [tasks, sync] = [new TasksApi(configuration), new SyncApi(configuration)]

function expect(what: string, isSo: boolean): void {
  console.log(`${isSo ? 'PASS' : 'FAIL'} ${what}`)
  if (!isSo) process.exitCode = 1
}

async function drain(): Promise<TasksRow[]> {
  const rows: TasksRow[] = []
  let after: string | undefined
  do {
    const page = await tasks.listTasks({ project, limit: 7, after, sort: '-duration', isMilestone: false })
    rows.push(...page.results)
    after = page.next ?? undefined
  } while (after)
  return rows
}

async function upload(row: TasksUpload): Promise<UploadAnswer> {
  const changes = { tasks: { created: [row] } }
  return sync.upload({ project, upload: { clientBatchId: crypto.randomUUID(), onError: 'reject_rows', changes } })
}

async function problem(call: Promise<unknown>): Promise<Problem> {
  try {
    await call
  } catch (error) {
    if (error instanceof ResponseError) return (await error.response.json()) as Problem
    throw error
  }
  throw new Error('nothing was refused')
}

const page: PullPage = await sync.pull({ project, since: 0, pageSize: 5000, collections: ['tasks'] })
expect('a page is pulled', page.timestamp > 0 && page.changes.tasks!.updated.length > 0 && page.hasMore === false)
const rows = await drain()
const isSorted = rows.every((row, i) => i === 0 || row.duration <= rows[i - 1]!.duration)
expect('a sorted list is read page by page', rows.length > 7 && isSorted)
const id = `generated-${Date.now()}`
const answer = await upload({ id, name: 'Order paint', duration: 3 })
expect('a batch is taken', answer.applied.tasks!.created[0]!.serverVersion === 1)
const row: TasksRow = await tasks.readTasks({ id })
expect('its row is there', row.name === 'Order paint' && row.duration === 3 && row.status === 'NOT_STARTED')
const made = await tasks.createTasks({ project, tasksCreate: { name: 'Made', plannedStart: new Date('2026-03-01') } })
expect('a row is made', made.name === 'Made')
const patched = await tasks.patchTasks({ id, tasksPatch: { percentComplete: 50 }, ifMatch: '"1"' })
expect('and changed', patched.percentComplete === 50 && patched.serverVersion === 2)
const stale = await problem(tasks.patchTasks({ id, tasksPatch: { percentComplete: 60 }, ifMatch: '"1"' }))
expect('a refusal has a code to compare', stale.code === ErrorCode.StaleVersion)
await tasks.deleteTasks({ id })
expect('and deleted', (await problem(tasks.readTasks({ id }))).code === ErrorCode.NotFound)
const projects = await new ProjectsApi(configuration).listProjects({ isArchived: false })
expect('projects are listed', projects.results.some((one) => one.id === project))
const users: UserPage = await new AccountsApi(configuration).findUsers({ project })
expect('users are found', users.results.length > 0)
const logInBody = { username: 'nobody', password: 'wrong' }
const login: Promise<Session> = new AccountsApi(configuration).logIn({ logInBody })
expect('a login is refused', (await problem(login)).code === ErrorCode.InvalidCredentials)
