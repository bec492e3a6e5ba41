extension TestDatabase {
    /// The form of every table: its columns, constraints and indexes, each as a line. Columns are in the order of their
    /// names, because new ones come last in a table that is there.
    package func catalogue() throws -> [String: [[String?]]] {
        [
            "columns": try run(
                """
                SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, l.collname,
                  pg_get_expr(d.adbin, d.adrelid), a.attidentity
                FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
                LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                LEFT JOIN pg_collation l ON l.oid = a.attcollation
                WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2
                """),
            "constraints": try run(
                """
                SELECT conrelid::regclass, conname, pg_get_constraintdef(oid), condeferrable, condeferred, convalidated
                FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid <> 0
                ORDER BY CAST(conrelid::regclass AS TEXT), 2
                """),
            "indexes": try run(
                """
                SELECT tablename, indexname, indexdef, obj_description(indexname::regclass, 'pg_class')
                FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2
                """),
            "others": try run(
                """
                SELECT relname, relkind FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind NOT IN ('r', 'i', 't') ORDER BY 1
                """),
        ]
    }
}
