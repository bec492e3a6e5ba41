/** All columns of a new task in an app that fills in nothing. */
export const NEW_TASK = {
    status: 'NOT_STARTED', duration: 1, percent_complete: 0, notes: '', is_milestone: false, is_subtask: false,
};

/** What an app sets in new rows, by collection. References and users are left to the test. */
export const NEW = {
    calendars: { name: 'Calendar', working_days: 31, hours_per_day: 8, timezone: 'UTC', exceptions: '[]' },
    sprints: { name: 'Sprint', goal: '', start_date: '2026-01-05', finish_date: '2026-01-16', state: 'PLANNED' },
    tasks: { name: 'Task', ...NEW_TASK },
    dependencies: { dep_type: 'FS', lag: 0 },
    risks: { title: 'Risk', description: '', status: 'OPEN', probability: 2, impact: 3, task_ids: '[]' },
    sprint_retros: { notes: '', team_visibility: 'team_only' },
    retro_action_items: { text: 'Item' },
    task_suggested_assignees: { reason: '', source: 'other', state: 'pending' },
    task_links: {
        url: 'https://example.com/', title: '', custom_title: '', labels: '[]', status: 'unknown', description: '',
        thumbnail_url: '', preview_type: '', display_order: 0,
    },
    task_recurrence_rules: {
        frequency: 'DAILY', interval: 1, weekdays: 0, time_of_day: '09:00:00', timezone: 'UTC', end_type: 'NEVER',
        inherit_assignee: true, inherit_subtasks: false, inherit_attachments: false,
        inherit_morning_notification: false,
    },
    time_entries: { minutes: 30, entry_date: '2026-01-05', note: '', source: 'manual' },
};

/** The collections that an upload may carry. */
export const EDITABLE = Object.keys(NEW);
