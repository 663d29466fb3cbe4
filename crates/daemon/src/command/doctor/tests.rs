use super::*;

#[test]
fn a_report_has_a_line_per_check_and_what_mends_it() {
    let checks = [Check::ok("clock", "2026"), Check::problem("disk", "1 MiB is free", "du -xh /")];

    assert_eq!(
        as_text(&checks),
        "ok       clock          2026\n\
         problem  disk           1 MiB is free\n                        to mend it: du -xh /\n"
    );
}

#[test]
fn a_report_in_json_says_whether_all_is_well() {
    let report: serde_json::Value =
        serde_json::from_str(&as_json(&[Check::warning("disk", "little", "du")], true)).unwrap();

    assert_eq!(
        report,
        json!({"ok": true, "checks": [{"name": "disk", "state": "warning", "text": "little", "fix": "du"}]})
    );
}
