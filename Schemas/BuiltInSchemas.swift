/// The collections that Tidemark serves by default, as checked in beside this file and embedded in the binary.
package enum BuiltInSchemas {
    /// File name without `.json`, and the document's bytes. A test holds the list equal to the folder.
    package static let documents: [(name: String, bytes: [UInt8])] = [
        ("attachments", PackageResources.attachments_json),
        ("calendars", PackageResources.calendars_json),
        ("dependencies", PackageResources.dependencies_json),
        ("memberships", PackageResources.memberships_json),
        ("projects", PackageResources.projects_json),
        ("retro_action_items", PackageResources.retro_action_items_json),
        ("risks", PackageResources.risks_json),
        ("sprint_retros", PackageResources.sprint_retros_json),
        ("sprints", PackageResources.sprints_json),
        ("task_links", PackageResources.task_links_json),
        ("task_recurrence_rules", PackageResources.task_recurrence_rules_json),
        ("task_suggested_assignees", PackageResources.task_suggested_assignees_json),
        ("tasks", PackageResources.tasks_json),
        ("time_entries", PackageResources.time_entries_json),
    ]
}
